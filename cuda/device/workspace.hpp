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
  /// if the device has none left.
  void* take(std::size_t bytes);
  void give_back(void* memory) noexcept;

  /// Returns every free block to the device.
  void free_unused() noexcept;

 private:
  struct Block {
    void* memory;
    std::size_t bytes;
    bool in_use;
  };
  std::vector<Block> blocks_;
};

}  // namespace srcextract
