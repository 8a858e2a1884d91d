#include "cuda/device/lent.hpp"

#include <cuda_runtime_api.h>

#include "cuda/device/check.hpp"

namespace srcextract {

void copy_rows(const void* from, std::int64_t step, std::int64_t row_bytes, std::int64_t rows, CUevent_st* after,
               void* to, const Gpu& where) {
  if (after != nullptr) check(cudaStreamWaitEvent(where.stream, after));
  if (row_bytes == 0 || rows == 0) return;
  const auto bytes = static_cast<std::size_t>(row_bytes);
  check(cudaMemcpy2DAsync(to, bytes, from, static_cast<std::size_t>(step), bytes, static_cast<std::size_t>(rows),
                          cudaMemcpyDeviceToDevice, where.stream));
}

void wait_for_device() noexcept {
  cudaDeviceSynchronize();
}

}  // namespace srcextract
