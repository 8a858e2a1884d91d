#pragma once

#include <cuda_runtime_api.h>

#include <source_location>

namespace srcextract {

/// Throws Error{device} with the place of the call and the runtime's text if a CUDA call failed.
void check(cudaError_t status, std::source_location where = std::source_location::current());

/// Throws as check() does if the kernel launch just made failed.
inline void check_launch(std::source_location where = std::source_location::current()) {
  check(cudaGetLastError(), where);
}

}  // namespace srcextract
