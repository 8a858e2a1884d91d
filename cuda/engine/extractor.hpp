#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "pipeline/chain/observer.hpp"
#include "pipeline/chain/run_stages.hpp"
#include "stages/core/exposure.hpp"

namespace srcextract {

/// What became of one of several images: its failure, or else the rest.
struct Extracted {
  struct StageTime {
    const char* stage;
    double seconds;
  };
  Extraction extraction;
  /// Of the reading, "ingest", the image's share of what the device did for all of them, "detect", and "columns".
  std::vector<StageTime> times;
  std::exception_ptr failure;
};

/// The pipeline on a GPU, for one thread at a time and image after image: it keeps its memory, and the graph of the
/// four steps, for as long as images have the same shape. Several, on whatever devices, do not disturb each other.
class CudaExtractor {
 public:
  /// `host` threads read the files. Nothing is done on the device before the first image.
  CudaExtractor(int device, const Cpu& host);
  ~CudaExtractor();
  CudaExtractor(const CudaExtractor&) = delete;
  CudaExtractor& operator=(const CudaExtractor&) = delete;

  /// One image. Throws what the stages throw, and Error{device} that says how much memory is needed and how much is
  /// free if the device is short of it.
  Extraction extract(const Exposure& exposure, const Config& config, const Observer& observer);

  static constexpr int most_together = 32;

  /// How many images of a shape to extract at once: small ones share a launch, which takes hardly longer for all of
  /// them than for one. 1 where they are so large that nothing is gained, and with stages that do not share one.
  static std::int64_t images_together(const Shape& shape, const Config& config) {
    const bool alone = config.combine.method != CombineMethod::none || config.convolve.kernel != KernelShape::none ||
                       config.clean.operation != CleanOperation::none || config.output.quicklook;
    if (alone) return 1;
    constexpr std::int64_t pixels_together = std::int64_t{1} << 19;
    return std::clamp<std::int64_t>(pixels_together / std::max<std::int64_t>(shape.count(), 1), 1, most_together);
  }

  /// Images of one shape, at most images_together() of them, each as extract() has it. A source that cannot be read, or
  /// an image that has no background, fails alone; what concerns the device is thrown: Error{device}.
  std::vector<Extracted> extract_together(std::span<const PixelSource> sources, const Config& config);

 private:
  class Session;
  class Group;
  int device_;
  Cpu host_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<Group> group_;
};

}  // namespace srcextract
