#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "config/config.hpp"
#include "pipeline/observer.hpp"
#include "pipeline/run_stages.hpp"
#include "stages/core/pixel_source.hpp"

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

/// The pipeline on a GPU, for one thread and image after image: it keeps its memory, and the graph of the four steps,
/// for as long as images have the same shape.
class CudaExtractor {
 public:
  /// `host` threads read the files. Nothing is done on the device before the first image.
  CudaExtractor(int device, const Cpu& host);
  ~CudaExtractor();
  CudaExtractor(const CudaExtractor&) = delete;
  CudaExtractor& operator=(const CudaExtractor&) = delete;

  /// One image. Throws what the stages throw, and Error{device} that says how much memory is needed and how much is
  /// free if the device is short of it.
  Extraction extract(const PixelSource& source, const Config& config, const Observer& observer);

 private:
  class Session;
  int device_;
  Cpu host_;
  std::unique_ptr<Session> session_;
};

}  // namespace srcextract
