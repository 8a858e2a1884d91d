#include "cuda/device/workspace.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "cuda/device/check.hpp"

namespace srcextract {

namespace {
/// Sizes are rounded up, so that blocks of nearly the same size serve each other.
constexpr std::size_t granule = 512;
}  // namespace

Workspace::~Workspace() {
  for (const Block& block : blocks_) cudaFree(block.memory);
}

void* Workspace::take(std::size_t bytes) {
  const std::size_t wanted = (bytes + granule - 1) / granule * granule;
  Block* best = nullptr;
  for (Block& block : blocks_) {
    const bool fits = !block.in_use && block.bytes >= wanted && block.bytes <= 2 * wanted;
    if (fits && (best == nullptr || block.bytes < best->bytes)) best = &block;
  }
  if (best != nullptr) {
    best->in_use = true;
    return best->memory;
  }
  blocks_.reserve(blocks_.size() + 1);  // so that nothing can fail once the memory is there
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, wanted);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // not a fault of the device: clear it
    return nullptr;
  }
  check(status);
  blocks_.push_back({memory, wanted, true});
  return memory;
}

void Workspace::give_back(void* memory) noexcept {
  const auto block = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& b) { return b.memory == memory; });
  if (block != blocks_.end()) block->in_use = false;
}

void Workspace::free_unused() noexcept {
  std::erase_if(blocks_, [](const Block& block) { return !block.in_use && (cudaFree(block.memory), true); });
}

}  // namespace srcextract
