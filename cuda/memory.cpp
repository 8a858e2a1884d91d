#include "cuda/memory.hpp"

namespace srcextract {

void* allocate(std::size_t bytes, const Gpu& where) {
  void* memory = nullptr;
  check(cudaMallocAsync(&memory, bytes, where.stream));
  return memory;
}

void release(void* memory, const Gpu& where) noexcept {
  if (memory != nullptr) cudaFreeAsync(memory, where.stream);  // a destructor cannot report; the next call will
}

}  // namespace srcextract
