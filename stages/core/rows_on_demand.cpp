#include "stages/core/rows_on_demand.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>

#include "stages/core/contract.hpp"

#ifdef SRCEXTRACT_CONTRACTS
#include <csignal>
#include <cstring>
#include <set>
#endif

namespace srcextract {

namespace {

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

/// Number of rows of a block. A block has about 4 MiB, so that computing a block takes much longer than finding it;
/// with less than 128 MiB of memory, a 32nd of the memory. A block has at least the size of a page, so that at most two
/// blocks share a page.
std::int64_t rows_of_block(std::int64_t height, std::int64_t bytes_of_row, std::int64_t memory) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 22, least_blocks = 32, together = RowsOnDemand::least_rows;
  const std::int64_t bytes =
      std::max(std::min(most_bytes, memory / least_blocks), static_cast<std::int64_t>(page_size()));
  const std::int64_t each = std::max<std::int64_t>(1, bytes_of_row) * together;
  return std::min((bytes + each - 1) / each * together, std::max(height, together));
}

#ifdef SRCEXTRACT_CONTRACTS
/// Names the step that reads a row which no caller holds, before the process ends of it.
class HeldRowsWatch {
 public:
  void add(const std::byte* begin, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (mapped_.empty()) {
      struct sigaction action = {};
      action.sa_sigaction = tell;
      action.sa_flags = SA_SIGINFO;
      sigaction(SIGSEGV, &action, &former_);
    }
    mapped_.insert({begin, begin + bytes});
  }
  void remove(const std::byte* begin, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    mapped_.erase({begin, begin + bytes});
    if (mapped_.empty()) sigaction(SIGSEGV, &former_, nullptr);
  }

 private:
  static void tell(int, siginfo_t* info, void*);

  std::mutex mutex_;
  std::set<std::pair<const std::byte*, const std::byte*>> mapped_;
  struct sigaction former_ = {};
};

HeldRowsWatch& held_rows_watch() {
  static HeldRowsWatch& watch = *new HeldRowsWatch;
  return watch;
}

void HeldRowsWatch::tell(int, siginfo_t* info, void*) {
  const auto* const at = static_cast<const std::byte*>(info->si_addr);
  HeldRowsWatch& watch = held_rows_watch();
  if (std::ranges::any_of(watch.mapped_, [&](const auto& one) { return at >= one.first && at < one.second; })) {
    const auto say = [](const char* text) { (void)!write(STDERR_FILENO, text, std::strlen(text)); };
    const char* const step = latest_step;
    say("a broken contract in the step ");
    say(step != nullptr ? step : "(none)");
    say(": it reads a row that it does not hold (stages/core/rows_on_demand.hpp)\n");
  }
  sigaction(SIGSEGV, &watch.former_, nullptr);  // the read is tried again, and ends the process
}
#endif

}  // namespace

RowsOnDemand::RowsOnDemand(std::int64_t height, std::int64_t bytes_of_row, std::shared_ptr<RowMemory> memory, Make make)
    : height_(height),
      bytes_of_row_(bytes_of_row),
      block_rows_(rows_of_block(height, bytes_of_row, memory->limit_)),
      memory_(std::move(memory)),
      make_(std::move(make)),
      mapped_(static_cast<std::size_t>(height * bytes_of_row) + page_size()),
      blocks_(static_cast<std::size_t>((height + block_rows_ - 1) / block_rows_)) {
  void* const mapped = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  image_ = static_cast<std::byte*>(mapped);
#ifdef SRCEXTRACT_CONTRACTS
  held_rows_watch().add(image_, mapped_);
#endif
}

RowsOnDemand::~RowsOnDemand() {
  {
    const std::lock_guard lock(memory_->mutex_);
    for (std::int64_t i = 0; i < std::ssize(blocks_); ++i) {
      const Block& block = blocks_[static_cast<std::size_t>(i)];
      if (block.state != State::there) continue;
      memory_->idle_.erase(block.idle);
      memory_->kept_ -= bytes_of(i);
    }
  }
#ifdef SRCEXTRACT_CONTRACTS
  held_rows_watch().remove(image_, mapped_);
#endif
  munmap(image_, mapped_);
}

std::int64_t RowsOnDemand::bytes_of(std::int64_t block) const {
  return std::min(block_rows_, height_ - block * block_rows_) * bytes_of_row_;
}

/// The pages to give back when block i is discarded. The first and the last page may also contain pixels of a
/// neighbouring block; such a page stays while that block is in memory.
RowsOnDemand::Pages RowsOnDemand::pages_of(std::int64_t i) const {
  const auto is_absent = [&](std::int64_t block) {
    return block < 0 || block >= std::ssize(blocks_) || blocks_[static_cast<std::size_t>(block)].state == State::absent;
  };
  const std::size_t page = page_size(), first = static_cast<std::size_t>(i * block_rows_ * bytes_of_row_);
  const std::size_t last = first + static_cast<std::size_t>(bytes_of(i));
  const std::size_t begin = (is_absent(i - 1) ? first : first + page - 1) / page * page;
  const std::size_t end = (is_absent(i + 1) ? last + page - 1 : last) / page * page;
  return {image_ + begin, end > begin ? end - begin : 0};
}

/// The pages of block i that can be moved to another block (the core of the block). All blocks of the same size have
/// equally many of these pages. The pages can then move any number of times: mremap() moves a range only as the same
/// range that was mapped together.
RowsOnDemand::Pages RowsOnDemand::core_of(std::int64_t i) const {
  const std::size_t page = page_size(), bytes = static_cast<std::size_t>(block_rows_ * bytes_of_row_);
  const std::size_t begin = (static_cast<std::size_t>(i) * bytes + page - 1) / page * page;
  const bool is_whole = static_cast<std::size_t>(bytes_of(i)) == bytes && bytes >= 2 * page;
  return {image_ + begin, is_whole ? (bytes / page - 1) * page : 0};
}

void RowsOnDemand::change(Make change) {
  const std::lock_guard lock(memory_->mutex_);
  for (std::int64_t i = 0; i < std::ssize(blocks_); ++i) {
    const Block& block = blocks_[static_cast<std::size_t>(i)];
    if (block.state != State::there) continue;
    memory_->idle_.erase(block.idle);
    forget(i);
  }
  changes_.push_back(std::move(change));
}

void RowsOnDemand::hold(std::int64_t begin, std::int64_t end) {
  const std::int64_t first = begin / block_rows_, last = (end + block_rows_ - 1) / block_rows_;
  for (std::int64_t block = first; block < last; ++block) {
    try {
      hold_block(block);
    } catch (...) {
      while (block-- > first) let_go_block(block);
      throw;
    }
  }
}

void RowsOnDemand::let_go(std::int64_t begin, std::int64_t end) {
  for (std::int64_t block = begin / block_rows_; block * block_rows_ < end; ++block) let_go_block(block);
}

void RowsOnDemand::hold_block(std::int64_t i) {
  Block& block = blocks_[static_cast<std::size_t>(i)];
  std::unique_lock lock(memory_->mutex_);
  memory_->made_.wait(lock, [&] { return block.state != State::in_the_making; });
  if (block.state == State::absent) make_block(i, lock);
  if (block.holders++ == 0) memory_->idle_.erase(block.idle);
}

void RowsOnDemand::let_go_block(std::int64_t i) {
  Block& block = blocks_[static_cast<std::size_t>(i)];
  const std::lock_guard lock(memory_->mutex_);
  if (--block.holders == 0) block.idle = memory_->idle_.insert(memory_->idle_.end(), {this, i});
}

/// Computes a block and adds it to the idle list as the block used last. `lock` is unlocked while rows are written.
void RowsOnDemand::make_block(std::int64_t i, std::unique_lock<std::mutex>& lock) {
  Block& block = blocks_[static_cast<std::size_t>(i)];
  block.state = State::in_the_making;
  memory_->kept_ += bytes_of(i);
  make_room(core_of(i));
  lock.unlock();
  try {
    const std::int64_t begin = i * block_rows_;
    unlock_pages(i);
    make_rows(begin, std::min(begin + block_rows_, height_));
  } catch (...) {
    lock.lock();
    forget(i);
    memory_->made_.notify_all();
    throw;
  }
  lock.lock();
  block.state = State::there;
  block.idle = memory_->idle_.insert(memory_->idle_.end(), {this, i});
  memory_->made_.notify_all();
}

/// Computes a few rows at a time and changes them while they are still in the processor's cache.
void RowsOnDemand::make_rows(std::int64_t begin, std::int64_t end) const {
  const std::int64_t together = changes_.empty() ? end - begin : least_rows;
  for (; begin < end; begin += together) {
    const std::int64_t last = std::min(begin + together, end);
    make_(image_, begin, last);
    for (const Make& change : changes_) change(image_, begin, last);
  }
}

/// Makes all pages of a block writable, including pages shared with neighbouring blocks.
void RowsOnDemand::unlock_pages(std::int64_t i) const {
  const std::size_t page = page_size(), begin = static_cast<std::size_t>(i * block_rows_ * bytes_of_row_) / page * page;
  const std::size_t end =
      static_cast<std::size_t>(i * block_rows_ * bytes_of_row_ + bytes_of(i) + page - 1) / page * page;
  if (mprotect(image_ + begin, end - begin, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
}

void RowsOnDemand::forget(std::int64_t i) noexcept {
  const Pages pages = pages_of(i);
  if (pages.bytes > 0)
    static_cast<void>(
        mmap(pages.begin, pages.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0));
  blocks_[static_cast<std::size_t>(i)].state = State::absent;
  memory_->kept_ -= bytes_of(i);
}

/// Discards idle blocks until the limit is kept. The new block takes over the core pages of one discarded block.
/// Clearing fresh pages instead would take longer than computing most rows.
void RowsOnDemand::make_room(const Pages& of_new) {
  bool taken = false;
  while (memory_->kept_ > memory_->limit_ && !memory_->idle_.empty()) {
    const auto [rows, block] = memory_->idle_.front();
    memory_->idle_.pop_front();
    if (!taken) taken = move_pages(rows->core_of(block), of_new);
    rows->forget(block);
  }
}

/// Moves the core pages of one block to the addresses of another. Returns false if the sizes differ or the system
/// refuses.
bool RowsOnDemand::move_pages(const Pages& from, const Pages& to) noexcept {
  if (from.bytes != to.bytes || to.bytes == 0) return false;
  constexpr int to_a_place = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;
  return mremap(from.begin, to.bytes, to.bytes, to_a_place, to.begin) != MAP_FAILED;
}

HeldRows::HeldRows(RowsOnDemand* rows, std::int64_t begin, std::int64_t end)
    : rows_(begin < end ? rows : nullptr), begin_(begin), end_(end) {
  if (rows_ != nullptr) rows_->hold(begin_, end_);
}

}  // namespace srcextract
