#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "pipeline/machine/backend.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

/// Functions that start GPUs; tests replace them.
struct GpuCalls {
  std::function<int()> count = count_cuda_devices;
  std::function<CudaDevice(int)> start = start_cuda_device;
};

/// The GPUs of a run of many images. The GPUs in `machine.devices` are ready from the start. If `machine.devices_join`
/// is set, all GPUs are started in the background, each in its own thread, while the CPU extracts images. Starting the
/// driver and a CUDA context takes as long as extracting many images.
class Gpus {
 public:
  /// `workers`: number of parallel workers on all GPUs together. Each GPU that becomes ready gets an equal part of
  /// these workers, rounded up. A GPU whose memory does not hold that many images of `image_bytes` bytes gets fewer
  /// workers, at least one. `machine` must outlive this object.
  Gpus(const Machine& machine, std::size_t workers, std::int64_t image_bytes, GpuCalls calls = {});

  /// Does not wait for GPUs that are still starting. Their threads end by themselves; exit() waits for them.
  ~Gpus();
  Gpus(const Gpus&) = delete;
  Gpus& operator=(const Gpus&) = delete;

  /// Waits until another worker can begin on a GPU that was started in the background, and returns that worker's
  /// execution. Returns nullopt if no GPU takes a further worker, or after end_waiting().
  std::optional<Execution> wait();
  void end_waiting();

  /// Replaces an execution whose GPU is lost by an execution on another GPU, or on the CPU if no GPU is left. Throws
  /// Error{device} if no GPU is left and the CPU may not be used. `error`: what the lost GPU reported.
  void replace(Execution& execution, const Error& error);

 private:
  struct Joining;

  const Machine& machine_;
  std::mutex mutex_;
  std::vector<CudaDevice> devices_;  ///< the GPUs in use; lost GPUs are removed
  std::size_t next_device_ = 0;
  std::shared_ptr<Joining> joining_;  ///< null if no GPU is started in the background
};

}  // namespace srcextract
