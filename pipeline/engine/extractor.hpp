#pragma once

#include <cstdint>
#include <memory>

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"
#include "pipeline/chain/observer.hpp"
#include "stages/core/exposure.hpp"

namespace srcextract {

struct DetectionImage;
struct ForcedPositions;
struct Plan;

/// Device memory in bytes that an image with a usual number of sources needs.
struct DeviceNeeds {
  std::int64_t probable = 0;
  std::int64_t least = 0;  ///< without memory for runs of noise pixels above the thresholds
};

/// The pipeline on a GPU. Extracts one image after the other, and is used by one thread at a time. Device memory and
/// the CUDA graph of the detection steps are kept while images have the same shape. Several extractors may run at the
/// same time on the same or different devices.
class CudaExtractor {
 public:
  /// `host.threads` threads read the pixels of files. The device is not used before the first image.
  CudaExtractor(int device, const Cpu& host);
  ~CudaExtractor();
  CudaExtractor(const CudaExtractor&) = delete;
  CudaExtractor& operator=(const CudaExtractor&) = delete;

  /// From now on, destructors of extractors free nothing. To be called when the process is about to end, since the
  /// system then frees everything faster.
  static void leave_all_to_the_system();

  /// Estimates the device memory for an image with this plan. If another image of the same shape and configuration has
  /// needed more in this process, returns that. Throws Error{device} in a build without CUDA.
  static DeviceNeeds memory_needed(const Plan& plan);

  /// Lets an image that needs more memory than the device has use up to `bytes` of host memory, which kernels access
  /// over the bus. Without this permission, extract() throws Error{device} for such an image. With 0, all host memory
  /// is released.
  void allow_host_memory(std::int64_t bytes) noexcept;

  /// Sources found in one image, to be measured in others. The sources and their detection image are in device memory.
  /// The extractor must outlive this object.
  class Found;

  /// Extracts one image; the parameters are those of extract_on_host(). With `positions`, the device reads the image
  /// and subtracts its sky, and the host measures; but if all stars are fitted at once, the fit runs on the device.
  /// Throws what the stages throw. Also throws Error{device}, with the bytes needed and free, if the device lacks
  /// memory.
  Extraction extract(const Exposure& exposure, const Config& config, const Observer& observer,
                     const Found* sources = nullptr, const ForcedPositions* positions = nullptr);

  /// Dual-image mode: finds the sources of an image, with the configuration in `image`, to be measured in other images.
  /// Equivalent of find_on_host(). `image` must outlive the result.
  std::shared_ptr<const Found> find(const DetectionImage& image, const Observer& observer);

 private:
  class Session;
  Session& session();

  [[maybe_unused]] int device_;
  Cpu host_;
  [[maybe_unused]] std::int64_t host_memory_ = 0;  ///< limit in bytes, see allow_host_memory()
  std::unique_ptr<Session> session_;
};

}  // namespace srcextract
