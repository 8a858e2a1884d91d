#include "cuda/memory.hpp"

#include <string>

#include "stages/core/error.hpp"

namespace srcextract {

void* allocate(std::size_t bytes, const Gpu& where) {
  void* memory = nullptr;
  const cudaError_t status = cudaMallocAsync(&memory, bytes, where.stream);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // not a fault of the device: clear it
    throw Error(ErrorKind::device, "GPU " + std::to_string(where.device) +
                                       " is short of memory: " + std::to_string(bytes) +
                                       " bytes more are needed; free some, choose another GPU with --device, or use "
                                       "--backend cpu");
  }
  check(status);
  return memory;
}

void release(void* memory, const Gpu& where) noexcept {
  if (memory != nullptr) cudaFreeAsync(memory, where.stream);  // a destructor cannot report; the next call will
}

}  // namespace srcextract
