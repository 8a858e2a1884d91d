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

/// A GPU as the CUDA runtime sees it; memory in bytes, without what this process keeps from earlier images.
struct CudaDevice {
  int index = 0;
  std::string name;
  std::int64_t free_memory = 0;
};

/// Whether this build has the CUDA back end.
bool cuda_built();

/// Version of the CUDA toolkit it was built with, or "not built".
std::string cuda_version();

/// The device with this index if it can be used. Throws Error{device} that says which of these is the case and what to
/// try: back end not built, no driver, no device, index out of range, a device older than the kernels.
CudaDevice find_cuda_device(int index);

/// All devices that can be used, by index. Throws Error{device} as find_cuda_device() does if there is none.
std::vector<CudaDevice> find_cuda_devices();

/// Whether this process can use the device. Once a fault of a kernel or of the hardware has ended what it did there,
/// every call fails: the process cannot have the device back, and what was made on it is only fit to be destroyed.
/// After the fault of a kernel CUDA refuses the process every other device as well (seen with driver 580).
bool device_works(int device);

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
