#pragma once

#include <cstddef>
#include <vector>

namespace srcextract {

/// Device memory that is kept from one use to the next, for work that is in one stream, in order: what is given back
/// may be handed out at once, since work on it comes after the work that it was used for.
class Workspace {
 public:
  Workspace() = default;
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// A block of at least `bytes`: the smallest free one unless it is more than twice as large, or else a new one; null
  /// if the device has none left. Small ones are parts of larger allocations, unless SRCEXTRACT_SEPARATE_BLOCKS is in
  /// the environment: compute-sanitizer sees no further than the end of an allocation.
  void* take(std::size_t bytes);
  void give_back(void* memory) noexcept;

  /// From now on the same is asked for again: it gets the same blocks, so that a graph which names them stays what it
  /// is.
  void repeat();

  /// Returns to the device what no block in use is part of.
  void free_unused() noexcept;

 private:
  /// Memory of the device, of which blocks are parts.
  struct Slab {
    std::byte* memory;
    std::size_t bytes, used;
  };
  struct Block {
    std::byte* memory;
    std::size_t bytes;
    bool in_use = false;
  };
  Block* find(std::size_t bytes);
  std::byte* cut(std::size_t bytes);
  bool add_slab(std::size_t bytes);

  static constexpr std::size_t first_slab = std::size_t{128} << 10;

  std::vector<Slab> slabs_;
  std::vector<Block> blocks_;
  std::size_t next_slab_ = first_slab;
  std::vector<void*> handed_out_;  ///< one after the other since repeat()
  std::size_t asked_ = 0;          ///< since then
  bool repeats_ = false;
};

}  // namespace srcextract
