#include "cuda/device/memory.hpp"

#include <string>

#include "cuda/device/workspace.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

void* allocate(std::size_t bytes, const Gpu& where) {
  void* memory = where.workspace->take(bytes);
  if (memory != nullptr) return memory;
  throw Error(ErrorKind::device, "GPU " + std::to_string(where.device) +
                                     " is short of memory: " + std::to_string(bytes) +
                                     " bytes more are needed; free some, choose another GPU with --device, or use "
                                     "--backend cpu");
}

void release(void* memory, const Gpu& where) noexcept {
  if (memory != nullptr) where.workspace->give_back(memory);
}

}  // namespace srcextract
