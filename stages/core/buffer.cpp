#include "stages/core/buffer.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <unordered_map>

#include "stages/core/keep_buffers.hpp"

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

void* allocate_anew(std::size_t bytes) {
  void* memory = ::operator new(bytes, alignment);
  wish_for_huge_pages(memory, bytes);
  return memory;
}

/// Large buffers, in use and kept.
class LargeBuffers {
 public:
  void* take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto kept = kept_.lower_bound(bytes);
    if (kept != kept_.end() && kept->first <= bytes + bytes / 4) {
      void* const memory = kept->second;
      sizes_.insert_or_assign(memory, kept->first);
      kept_.erase(kept);
      return memory;
    }
    for (std::size_t freed = 0; freed < bytes && !kept_.empty();) freed += free_largest();
    void* const memory = allocate_anew(bytes);
    if (keepers_ > 0) sizes_.insert_or_assign(memory, bytes);
    return memory;
  }

  /// Whether it is kept; or else it is to be freed.
  bool keep(void* memory) {
    const std::lock_guard lock(mutex_);
    const auto known = sizes_.find(memory);
    if (known == sizes_.end()) return false;
    const std::size_t bytes = known->second;
    sizes_.erase(known);
    if (keepers_ > 0) kept_.emplace(bytes, memory);
    return keepers_ > 0;
  }

  void add_keeper() {
    const std::lock_guard lock(mutex_);
    ++keepers_;
  }

  void remove_keeper() {
    const std::lock_guard lock(mutex_);
    if (--keepers_ > 0) return;
    while (!kept_.empty()) free_largest();
  }

 private:
  std::size_t free_largest() {
    const auto largest = std::prev(kept_.end());
    const std::size_t bytes = largest->first;
    ::operator delete(largest->second, alignment);
    kept_.erase(largest);
    return bytes;
  }

  std::mutex mutex_;
  int keepers_ = 0;
  std::multimap<std::size_t, void*> kept_;
  std::unordered_map<void*, std::size_t> sizes_;  ///< of those in use that are to be kept
};

LargeBuffers& large_buffers() {
  static LargeBuffers& all = *new LargeBuffers;  // for good: buffers of other statics may outlive any
  return all;
}

}  // namespace

KeepBuffers::KeepBuffers() {
  mallopt(M_MMAP_THRESHOLD, static_cast<int>(small_buffer));
  mallopt(M_TRIM_THRESHOLD, -1);
  large_buffers().add_keeper();
}

KeepBuffers::~KeepBuffers() {
  large_buffers().remove_keeper();
}

void* allocate(std::size_t bytes, const Cpu&) {
  return bytes < small_buffer ? allocate_anew(bytes) : large_buffers().take(bytes);
}

void release(void* memory, const Cpu&) noexcept {
  try {
    if (large_buffers().keep(memory)) return;
  } catch (const std::bad_alloc&) {
    // Not even for a note of it: it goes back.
  }
  ::operator delete(memory, alignment);
}

}  // namespace srcextract
