#pragma once

#include <cstddef>

namespace srcextract {

/// While one is there, what large host buffers release is kept for the next image: entering memory anew takes a fifth
/// of the time of an image, and more where many threads do it. A buffer serves the next of about its size; they are,
/// with those in use, at most an eighth above what was in use at once before, and go back to the system with the last
/// of these.
class KeepBuffers {
 public:
  /// The smallest that are kept; others are the allocator's.
  static constexpr std::size_t least = std::size_t{4} << 20;

  KeepBuffers();
  ~KeepBuffers();
  KeepBuffers(const KeepBuffers&) = delete;
  KeepBuffers& operator=(const KeepBuffers&) = delete;
};

/// From now on the allocator keeps all that is released in less than so many bytes, also where much of it lies idle,
/// and the process never gives it back: for a program that ends when its work is done, not for a library in another's.
void keep_released_memory(std::size_t less_than);

}  // namespace srcextract
