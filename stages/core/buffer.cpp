#include "stages/core/buffer.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <new>

#include "stages/core/keep_buffers.hpp"

namespace srcextract {

namespace {

constexpr std::align_val_t alignment{64};

constexpr std::size_t huge_page = std::size_t{2} << 20;

constexpr std::size_t small_buffer = KeepBuffers::least;
static_assert(small_buffer == 2 * huge_page);

/// Asks the system for huge pages if the buffer is large, since mapping an image page by page takes longer than reading
/// it once. The system may ignore the request. A huge page occupies memory as a whole once a byte of it is written.
/// Storage of which only parts are written should therefore consist of small buffers.
void wish_for_huge_pages(void* memory, std::size_t bytes) noexcept {
  if (bytes < small_buffer) return;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = (address + page - 1) / page * page;
  const std::uintptr_t end = (address + bytes) / page * page;
  madvise(static_cast<std::byte*>(memory) + (begin - address), end - begin, MADV_HUGEPAGE);
}

void* allocate_new(std::size_t bytes, std::align_val_t aligned) {
  void* memory = ::operator new(bytes, aligned);
  wish_for_huge_pages(memory, bytes);
  return memory;
}

/// A pool of released large buffers, which serve later requests of about their size. Without the pool, the system would
/// map and clear fresh pages, which takes longer than most steps take to fill the pages. Unused and used buffers
/// together exceed the peak use so far by at most an eighth.
class KeptBuffers {
 public:
  /// Adds a user of the pool; end() removes a user. Released buffers stay in the pool while at least one user exists.
  void begin() { ++keepers_; }
  void end() {
    const std::lock_guard lock(mutex_);
    if (--keepers_ == 0) drop_waiting();
  }
  void drop_waiting_buffers() {
    const std::lock_guard lock(mutex_);
    drop_waiting();
  }
  bool keeps() const { return keepers_ > 0; }

  /// Returns a buffer of at least `bytes` bytes, which the caller alone uses until release().
  void* take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    Buffers::iterator best = waiting_of(bytes);
    if (best == buffers_.end() || best->second.bytes > bytes + bytes / 8) {
      make_room(bytes);
      best = add(bytes);
    } else {
      waiting_ -= best->second.bytes;
    }
    best->second.in_use = true;
    used_ += best->second.bytes;
    most_used_ = std::max(most_used_, used_);
    return best->first;
  }

  /// Returns a buffer to the pool. Returns false if the buffer is not from take().
  bool release(void* memory) noexcept {
    if (reinterpret_cast<std::uintptr_t>(memory) % huge_page != 0) return false;
    const std::lock_guard lock(mutex_);
    const auto found = buffers_.find(memory);
    if (found == buffers_.end()) return false;
    found->second.in_use = false;
    used_ -= found->second.bytes;
    waiting_ += found->second.bytes;
    if (!keeps()) drop(found);
    return true;
  }

 private:
  struct State {
    std::size_t bytes;
    bool in_use;
  };
  using Buffers = std::map<void*, State>;

  /// Returns the smallest unused buffer of at least `bytes` bytes, or end() if there is none.
  Buffers::iterator waiting_of(std::size_t bytes) {
    auto best = buffers_.end();
    for (auto i = buffers_.begin(); i != buffers_.end(); ++i) {
      const State& buffer = i->second;
      if (buffer.in_use || buffer.bytes < bytes) continue;
      if (best == buffers_.end() || buffer.bytes < best->second.bytes) best = i;
    }
    return best;
  }

  Buffers::iterator add(std::size_t bytes) {
    const auto place = [&] {
      try {
        return allocate_new(bytes, aligned);
      } catch (const std::bad_alloc&) {
        drop_waiting();
        return allocate_new(bytes, aligned);
      }
    };
    void* const memory = place();
    try {
      return buffers_.try_emplace(memory, State{bytes, true}).first;
    } catch (...) {
      ::operator delete(memory, aligned);
      throw;
    }
  }

  /// Frees unused buffers until a new buffer of `bytes` bytes fits into 9/8 of the peak use.
  void make_room(std::size_t bytes) {
    const std::size_t most_used = std::max(most_used_, used_ + bytes);
    const std::size_t most = most_used + most_used / 8;
    while (waiting_ > 0 && used_ + bytes + waiting_ > most) {
      const auto enough = waiting_of(used_ + bytes + waiting_ - most);
      drop(enough != buffers_.end() ? enough : waiting_of(0));
    }
  }

  void drop_waiting() {
    while (waiting_ > 0) drop(waiting_of(0));
    most_used_ = used_;
  }

  void drop(Buffers::iterator buffer) {
    waiting_ -= buffer->second.bytes;
    ::operator delete(buffer->first, aligned);
    buffers_.erase(buffer);
  }

  static constexpr std::align_val_t aligned{huge_page};

  std::atomic<int> keepers_ = 0;
  std::mutex mutex_;
  Buffers buffers_;
  std::size_t used_ = 0, waiting_ = 0, most_used_ = 0;  ///< bytes of used and of unused buffers, and the peak of used_
};

/// Returns the pool, which is never destroyed: static objects may release buffers until the process ends.
KeptBuffers& kept_buffers() {
  static KeptBuffers& kept = *new KeptBuffers;
  return kept;
}

}  // namespace

KeepBuffers::KeepBuffers() {
  kept_buffers().begin();
}

KeepBuffers::~KeepBuffers() {
  kept_buffers().end();
}

void drop_kept_buffers() {
  kept_buffers().drop_waiting_buffers();
}

void keep_released_memory(std::size_t less_than) {
  mallopt(M_MMAP_THRESHOLD, static_cast<int>(less_than));
  mallopt(M_TRIM_THRESHOLD, -1);
}

void* allocate(std::size_t bytes, const Cpu&) {
  const bool kept = bytes >= small_buffer && kept_buffers().keeps();
  return kept ? kept_buffers().take(bytes) : allocate_new(bytes, alignment);
}
void release(void* memory, const Cpu&) noexcept {
  if (kept_buffers().release(memory)) return;
  ::operator delete(memory, alignment);
}

}  // namespace srcextract
