#include "stages/core/buffer.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <new>

namespace srcextract {

namespace {

/// A cache line, and the widest vector.
constexpr std::align_val_t alignment{64};

constexpr std::size_t huge_page = std::size_t{2} << 20;

/// Smaller buffers have no huge pages.
constexpr std::size_t small_buffer = 2 * huge_page;

/// Asks for huge pages where there is room for some: entering an image page by page costs more than reading it once.
/// Only a wish, which the system may not grant. Of a buffer that is used here and there all becomes resident: such a
/// one is better made of small ones.
void wish_for_huge_pages(void* memory, std::size_t bytes) noexcept {
  if (bytes < small_buffer) return;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = (address + page - 1) / page * page;
  const std::uintptr_t end = (address + bytes) / page * page;
  madvise(static_cast<std::byte*>(memory) + (begin - address), end - begin, MADV_HUGEPAGE);
}

}  // namespace

void keep_small_buffers() {
  mallopt(M_MMAP_THRESHOLD, static_cast<int>(small_buffer));
  mallopt(M_TRIM_THRESHOLD, -1);
}

void* allocate(std::size_t bytes, const Cpu&) {
  void* memory = ::operator new(bytes, alignment);
  wish_for_huge_pages(memory, bytes);
  return memory;
}
void release(void* memory, const Cpu&) noexcept {
  ::operator delete(memory, alignment);
}

}  // namespace srcextract
