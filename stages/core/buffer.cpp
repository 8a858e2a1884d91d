#include "stages/core/buffer.hpp"

#include <new>

namespace srcextract {

namespace {
/// A cache line, and the widest vector.
constexpr std::align_val_t alignment{64};
}  // namespace

void* allocate(std::size_t bytes, const Cpu&) {
  return ::operator new(bytes, alignment);
}
void release(void* memory, const Cpu&) noexcept {
  ::operator delete(memory, alignment);
}

}  // namespace srcextract
