#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "cuda/device/cuda_devices.hpp"
#include "cuda/engine/extractor.hpp"
#include "stages/core/error.hpp"
#include "stages/core/pixel_source.hpp"
#include "survey/inputs/image_config.hpp"

namespace srcextract {

/// Whether the system has a driver of NVIDIA's, or Windows' way to one; it is looked for without waking any.
bool has_gpu_driver();

/// Logs why there is no GPU. That is news to who named one or has one; to all others it is said with --verbose.
void tell_of_no_gpu(const Error& error, bool named);

/// What GPUs are asked for; others stand in for them in tests.
struct GpuCalls {
  std::function<int()> count = count_cuda_devices;
  std::function<CudaDevice(int)> start = start_cuda_device;
  std::function<void(CudaExtractor&, const Shape&, const PixelFormat&, const Config&)> prepare =
      &CudaExtractor::prepare;
};

/// Makes all GPUs ready for work while others are at work: driver and contexts take as long as many images, and what
/// workers need there as long as some. Each GPU has a thread; one that never becomes ready holds nobody up.
class DeviceStart {
 public:
  /// Begins; so many workers will want an extractor each, wherever, for images that take so many bytes on a device.
  DeviceStart(int workers, std::int64_t image_bytes, GpuCalls calls = {});

  /// Waits for nobody. What is under way then ends with the process, which waits for it unless it is ended by _Exit.
  ~DeviceStart();

  DeviceStart(const DeviceStart&) = delete;
  DeviceStart& operator=(const DeviceStart&) = delete;

  /// What images are like; the first that is shown counts. Nothing is read.
  void show(const PixelSource& image, const std::shared_ptr<const ImageConfig>& config);

  struct Ready {
    CudaDevice device;
    bool tried = false;  ///< an image has gone through it as quickly as through a GPU that nobody else uses
  };

  /// Those that have become ready since the last call.
  std::vector<Ready> take_ready();

  /// One for one worker and one thread on that device, that has memory and kernels for images as shown; or null: none
  /// is ready. None is made any more for that worker.
  std::shared_ptr<CudaExtractor> take_extractor(int device);

  /// Waits for another extractor that is ready, or a device for images that share launches; false: there is none to
  /// come, or end_waiting() was called.
  bool wait();
  void end_waiting();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace srcextract
