#pragma once

#include <cstddef>
#include <vector>

#include "cuda/device/slab.hpp"

namespace srcextract {

/// A pool of memory for work in one stream of a device: the device's memory, and a share of the host's. A block that
/// was given back may be reused at once, since the stream finishes earlier work on the block before later work begins.
class Workspace {
 public:
  /// Where the device has no room, blocks lie in memory of `host`, if it is given.
  explicit Workspace(HostShare* host = nullptr) : host_(host) {}
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// Returns a block of at least `bytes` bytes: the smallest free block unless it is more than twice as large, else a
  /// new one. Null if there is no memory left. Small blocks are parts of larger allocations, unless the
  /// environment variable SRCEXTRACT_SEPARATE_BLOCKS is set. compute-sanitizer needs it, since it finds an overrun only
  /// at the end of an allocation.
  void* take(std::size_t bytes);
  void give_back(void* memory) noexcept;

  /// Announces that the same sequence of take() calls begins again. Each call then returns the same block as before, so
  /// that a captured graph that uses these blocks stays valid.
  void repeat();

  /// Gives back the memory of every slab without a block in use.
  void free_unused() noexcept;

  HostShare* host() const { return host_; }

 private:
  /// A slab from which blocks are cut.
  struct CutSlab {
    Slab slab;
    std::size_t used;
  };
  struct Block {
    std::byte* memory;
    std::size_t bytes;
    bool in_use = false;
  };
  Block* find(std::size_t bytes);
  std::byte* cut(std::size_t bytes);
  /// Adds a slab, for one block `alone` or for several.
  bool add_slab(std::size_t bytes, bool alone);
  Slab make_slab(std::size_t bytes, bool alone);

  static constexpr std::size_t first_slab = std::size_t{128} << 10;

  HostShare* host_;
  std::vector<CutSlab> slabs_;
  std::vector<Block> blocks_;
  std::size_t next_slab_ = first_slab;
  std::vector<void*> handed_out_;  ///< per request since repeat(): the block that take() returned
  std::size_t asked_ = 0;          ///< number of requests since repeat()
  bool repeats_ = false;
};

}  // namespace srcextract
