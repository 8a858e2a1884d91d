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
struct RunPlan;

/// Device memory in bytes for an image that has as many sources as usual.
struct DeviceNeeds {
  std::int64_t probable = 0;
  std::int64_t least = 0;  ///< without room for noise above the thresholds
};

/// The pipeline on a GPU, for one thread at a time and image after image. Memory, and the graph of the detection steps,
/// are kept while images have the same shape. Several extractors, on any devices, do not disturb each other.
class CudaExtractor {
 public:
  /// `host.threads` threads read the files. The device is not used before the first image.
  CudaExtractor(int device, const Cpu& host);
  ~CudaExtractor();
  CudaExtractor(const CudaExtractor&) = delete;
  CudaExtractor& operator=(const CudaExtractor&) = delete;

  /// From now on destructors of extractors free nothing: the process will end soon, and the system then frees all.
  static void leave_all_to_the_system();

  /// The needs of an image with that plan. If an image of its shape and configuration has needed more in this process,
  /// counts that. Throws Error{device} in a build without CUDA.
  static DeviceNeeds memory_needed(const RunPlan& plan);

  /// Lets images for which the device has too little memory take up to `bytes` of host memory, which kernels read and
  /// write over the bus. Without it such an image is an error. With 0, all host memory is given back.
  void allow_host_memory(std::int64_t bytes) noexcept;

  /// Sources that are kept on the device, together with their detection image. The extractor must outlive them.
  class Found;

  /// Extracts one image as extract_on_host does. If `positions` are given, the device reads the image and subtracts its
  /// sky, and the host measures; stars of a crowd are fitted on the device. Throws what the stages throw, and
  /// Error{device} with the bytes needed and free if the device is short of memory.
  Extraction extract(const Exposure& exposure, const Config& config, const Observer& observer,
                     const Found* sources = nullptr, const ForcedPositions* positions = nullptr);

  /// Detects the sources of an image with the image's own configuration, for measurement in other images, as
  /// find_on_host does. The image must outlive the result.
  std::shared_ptr<const Found> find(const DetectionImage& image, const Observer& observer);

 private:
  class Session;
  Session& session();

  [[maybe_unused]] int device_;
  Cpu host_;
  [[maybe_unused]] std::int64_t host_memory_ = 0;  ///< allowed for images
  std::unique_ptr<Session> session_;
};

}  // namespace srcextract
