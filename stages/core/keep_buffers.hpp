#pragma once

#include <cstddef>

namespace srcextract {

/// While an object of this class lives, released large host buffers are kept for the next image. Mapping fresh memory
/// takes a fifth of an image's time, and more with many threads. A kept buffer serves a later request of about its
/// size. Kept buffers and those in use together exceed the peak use so far by at most an eighth. The last object to go
/// returns the kept buffers to the system.
class KeepBuffers {
 public:
  /// Bytes of the smallest buffer that is kept; the allocator handles smaller ones.
  static constexpr std::size_t least = std::size_t{4} << 20;

  KeepBuffers();
  ~KeepBuffers();
  KeepBuffers(const KeepBuffers&) = delete;
  KeepBuffers& operator=(const KeepBuffers&) = delete;
};

/// From now on the allocator keeps all released blocks smaller than `less_than` bytes, and the process never returns
/// them to the system. For a program that ends when its work is done, not for a library in another program.
void keep_released_memory(std::size_t less_than);

}  // namespace srcextract
