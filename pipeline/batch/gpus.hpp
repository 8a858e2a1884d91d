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

/// Calls to the driver; tests replace them.
struct GpuCalls {
  std::function<int()> count = count_cuda_devices;
  std::function<CudaDevice(int)> start = start_cuda_device;
};

/// The GPUs of a run of many images. The GPUs in `machine.devices` are ready from the start. With
/// `machine.devices_join` all GPUs start while the CPU is at work, each in a thread of its own: starting driver and
/// context takes as long as extracting many images.
class Gpus {
 public:
  /// `machine` must outlive it. Each GPU that joins gets its share of `workers` workers, rounded up. A GPU whose memory
  /// has no room for as many images of `image_bytes` gets fewer, at least one.
  Gpus(const Machine& machine, std::size_t workers, std::int64_t image_bytes, GpuCalls calls = {});

  /// Does not wait for GPUs that are still starting: their threads end with the process.
  ~Gpus();
  Gpus(const Gpus&) = delete;
  Gpus& operator=(const Gpus&) = delete;

  /// Waits until another worker can begin on a GPU, and returns that worker's execution. Empty: no GPU takes a further
  /// worker, or end_waiting() was called.
  std::optional<Execution> wait();
  void end_waiting();

  /// Replaces an execution whose GPU is lost by one on another GPU, or on the CPU. Throws Error{device} if neither is
  /// available.
  void replace(Execution& execution, const Error& error);

 private:
  struct Joining;

  const Machine& machine_;
  std::mutex mutex_;
  std::vector<CudaDevice> devices_;  ///< without lost ones
  std::size_t next_device_ = 0;
  std::shared_ptr<Joining> joining_;  ///< null: no GPU joins
};

}  // namespace srcextract
