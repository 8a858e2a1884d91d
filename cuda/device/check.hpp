#pragma once

#include <cuda_runtime_api.h>

#include <source_location>

namespace srcextract {

/// Throws Error{device} if a CUDA call failed. The message holds the runtime's message, and function and line of the
/// call.
void check(cudaError_t status, std::source_location where = std::source_location::current());

/// Throws as check() does if the previous kernel launch failed.
inline void check_launch(std::source_location where = std::source_location::current()) {
  check(cudaGetLastError(), where);
}

}  // namespace srcextract
