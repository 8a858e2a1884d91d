#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "pipeline/machine/backend.hpp"
#include "pipeline/machine/device_start.hpp"
#include "pipeline/machine/roster.hpp"
#include "stages/core/error.hpp"
#include "stages/core/pixel_source.hpp"
#include "survey/inputs/image_config.hpp"
#include "survey/journal/planned_files.hpp"

namespace srcextract {

/// Where the workers of a run extract its images: each where it was sent (share_out), or, where the CPU and GPUs work
/// together, where the next image is done first (Roster). A GPU that is lost is replaced.
class Places {
 public:
  /// One who takes images, and where it has memory.
  class Worker {
   public:
    explicit Worker(Execution sent_to) : sent_to_(std::move(sent_to)) {}

   private:
    friend class Places;
    Execution sent_to_;
    std::map<int, Execution> on_devices_ = {};
  };

  /// One image of a worker, or several that it does together.
  struct Turn {
    Execution execution;
    Roster::Place place = {};
    bool first = false;
    std::chrono::steady_clock::time_point begin = {};
  };

  /// `machine` must outlive it. `executions`: those of share_out().
  Places(const Machine& machine, const PlannedFiles& files, std::span<const Execution> executions);

  /// A place for the next turn; `left`: images that nobody has taken yet.
  Turn take(Worker& worker, std::size_t left);

  /// The images of the turn are known, and work on them begins.
  static void begin(Turn& turn);

  /// What images are like, of which GPUs that are being made ready hear.
  void show(const PixelSource& image, const std::shared_ptr<const ImageConfig>& config);

  /// The turn is over: so many images, of so many pixels together; none if there were no more. True if another has come
  /// in the place of this worker meanwhile, who goes.
  bool end(Worker& worker, Turn&& turn, std::int64_t images, std::int64_t pixels);

  /// Waits until a GPU that has joined could do more than those do who have come to it. True if somebody who has no
  /// place on a GPU is at the CPU, and is to end with the image there, since another takes the next one in his place
  /// now; false if there is no more to wait for.
  bool wait_for_vacancy();
  void end_waiting();

  /// Who came in the place of one at the CPU has nothing but the CPU himself. Whether he is to go, since that one is
  /// still there: then his turn is over.
  bool withdraw(const Turn& turn);

  /// Nobody can come in the place of the one that wait_for_vacancy() told of: he stays. False if he has gone already.
  bool keep();

  /// In the place of one whose device is lost. Throws Error{device} if there is none.
  void replace(Execution& execution, const Error& error);

 private:
  void add(const CudaDevice& device, bool tried);
  bool go();

  const Machine& machine_;
  std::int64_t image_bytes_;  ///< that an image may take on a device
  std::optional<Roster> roster_;
  std::unique_ptr<DeviceStart> start_;
  std::mutex mutex_;
  std::vector<CudaDevice> devices_;  ///< those that are not lost
  std::size_t next_device_ = 0;
  int on_cpu_ = 0;    ///< who have an image there, and nothing on a GPU
  int replaced_ = 0;  ///< of these, who end with it
};

}  // namespace srcextract
