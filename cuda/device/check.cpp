#include "cuda/device/check.hpp"

#include <string>

#include "stages/core/error.hpp"

namespace srcextract {

void check(cudaError_t status, std::source_location where) {
  if (status == cudaSuccess) return;
  const std::string place = std::string(" (") + where.function_name() + ", line " + std::to_string(where.line()) + ")";
  cudaGetLastError();  // clears the error: else the check after the next kernel launch would report it again
  throw Error(ErrorKind::device, std::string("CUDA: ") + cudaGetErrorString(status) + place);
}

}  // namespace srcextract
