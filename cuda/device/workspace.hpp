#pragma once

#include <cstddef>
#include <vector>

#include "cuda/device/slab.hpp"

namespace srcextract {

/// A pool of device memory, and of page-locked host memory, for the work in one stream of a device. take() may return a
/// block right after give_back(): the stream finishes earlier work on the block before later work begins.
class Workspace {
 public:
  /// If the device has too little memory for a block, the block is in the host memory that `host` permits. Null: device
  /// memory only.
  explicit Workspace(HostShare* host = nullptr) : host_(host) {}
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// Returns a block of at least `bytes` bytes: the smallest free block if that is at most twice as large, else a new
  /// block. Null if memory is exhausted. Small blocks are parts of larger allocations, unless the environment variable
  /// SRCEXTRACT_SEPARATE_BLOCKS is set. compute-sanitizer needs the variable, since it detects an overrun only at the
  /// end of an allocation.
  void* take(std::size_t bytes);
  void give_back(void* memory) noexcept;

  /// Begins the sequence of take() calls anew. Each call then returns, if possible, the block that the call at the same
  /// position returned before. So the addresses in a captured CUDA graph stay valid.
  void repeat();

  /// Frees every slab of which no block is in use.
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
  /// Adds a slab for one block if `alone`, else a slab for several blocks.
  bool add_slab(std::size_t bytes, bool alone);
  Slab make_slab(std::size_t bytes, bool alone);

  static constexpr std::size_t first_slab = std::size_t{128} << 10;

  HostShare* host_;
  std::vector<CutSlab> slabs_;
  std::vector<Block> blocks_;
  std::size_t next_slab_ = first_slab;
  std::vector<void*> handed_out_;  ///< the block that take() returned for each call since repeat()
  std::size_t asked_ = 0;          ///< number of calls of take() since repeat()
  bool repeats_ = false;
};

}  // namespace srcextract
