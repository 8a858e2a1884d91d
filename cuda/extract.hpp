#pragma once

#include <cstdint>
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

/// run_stages on a GPU, fed by `host` threads. Throws Error{device} that says how much memory is needed and how much is
/// free if the device is short of it.
Extraction extract_cuda(const PixelSource& source, const Config& config, int device, const Cpu& host,
                        const Observer& observer);

}  // namespace srcextract
