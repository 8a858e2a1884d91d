#include "cuda/check.hpp"

#include <string>

#include "stages/core/error.hpp"

namespace srcextract {

void check(cudaError_t status, std::source_location where) {
  if (status == cudaSuccess) return;
  const std::string place = std::string(" (") + where.function_name() + ", line " + std::to_string(where.line()) + ")";
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // an allocation that failed is not a fault of the device: clear it
    throw Error(ErrorKind::device, "the GPU has not enough free memory" + place +
                                       "; free it, choose another with --device, or use --backend cpu");
  }
  throw Error(ErrorKind::device, std::string("CUDA: ") + cudaGetErrorString(status) + place);
}

}  // namespace srcextract
