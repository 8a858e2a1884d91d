#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stages/core/exec.hpp"

namespace srcextract {

/// A pool of device memory for work in one stream. A block that was given back may be reused at once, since the stream
/// finishes earlier work on the block before later work begins.
class Workspace {
 public:
  Workspace() = default;
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// Returns a block of at least `bytes` bytes: the smallest free block unless it is more than twice as large, else a
  /// new one. Null if the device has no memory left. Small blocks are parts of larger allocations, unless the
  /// environment variable SRCEXTRACT_SEPARATE_BLOCKS is set. compute-sanitizer needs it, since it finds an overrun only
  /// at the end of an allocation.
  void* take(std::size_t bytes);

  /// From now on large blocks for which the device has no memory left may take up to `bytes` bytes of host memory,
  /// which `threads` host threads prepare (shared_memory.hpp).
  void borrow(std::int64_t bytes, const Cpu& threads);

  /// Borrows what another workspace of the device has not taken yet.
  void borrow_rest_of(const Workspace& other);

  void give_back(void* memory) noexcept;

  /// Announces that the same sequence of take() calls begins again. Each call then returns the same block as before, so
  /// that a captured graph that uses these blocks stays valid.
  void repeat();

  /// Returns every slab without a block in use to the device.
  void free_unused() noexcept;

 private:
  /// A device allocation from which blocks are cut.
  struct Slab {
    std::byte* memory;
    std::size_t bytes, used;
    std::size_t on_host = 0;
  };
  struct Block {
    std::byte* memory;
    std::size_t bytes;
    bool in_use = false;
  };
  Block* find(std::size_t bytes);
  std::byte* cut(std::size_t bytes);
  bool add_slab(std::size_t bytes);
  bool add_shared_slab(std::size_t bytes);
  std::size_t left_on_host() const;

  static constexpr std::size_t first_slab = std::size_t{128} << 10;

  std::vector<Slab> slabs_;
  std::vector<Block> blocks_;
  std::size_t next_slab_ = first_slab;
  std::vector<void*> handed_out_;  ///< by request, since repeat()
  std::size_t asked_ = 0;          ///< requests since repeat()
  std::size_t borrowed_ = 0;       ///< most bytes of host memory
  Cpu host_;
  bool repeats_ = false;
};

}  // namespace srcextract
