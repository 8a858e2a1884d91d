#pragma once

#include <cstddef>

namespace srcextract {

/// While an object of this class exists, released large host buffers are kept and reused for the next image. Mapping
/// fresh memory takes a fifth of an image's time, and more with many threads. A kept buffer serves a later request of
/// about its size. Kept and used buffers together exceed the peak use so far by at most an eighth. When the last object
/// is destroyed, kept buffers are returned to the system.
class KeepBuffers {
 public:
  /// Size in bytes of the smallest buffer that is kept; smaller ones are left to the allocator.
  static constexpr std::size_t least = std::size_t{4} << 20;

  KeepBuffers();
  ~KeepBuffers();
  KeepBuffers(const KeepBuffers&) = delete;
  KeepBuffers& operator=(const KeepBuffers&) = delete;
};

/// Returns kept buffers that are not in use to the system.
void drop_kept_buffers();

/// Makes the allocator keep all released blocks smaller than `less_than` bytes, which the process then never returns to
/// the system. Use it only in a program that ends when its work is done.
void keep_released_memory(std::size_t less_than);

}  // namespace srcextract
