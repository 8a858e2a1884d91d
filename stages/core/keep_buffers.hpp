#pragma once

#include <cstddef>

namespace srcextract {

/// While an object of this class exists, large host buffers that are released stay allocated and serve later requests.
/// Mapping fresh memory for each image instead takes a fifth of the time of an image, and more with many threads. A
/// kept buffer serves a request of its own size or up to a ninth less. Kept and used buffers together exceed the peak
/// use so far by at most an eighth. The last destructor returns all kept buffers to the system.
class KeepBuffers {
 public:
  /// Smallest size in bytes of a buffer that is kept.
  static constexpr std::size_t least = std::size_t{4} << 20;

  KeepBuffers();
  ~KeepBuffers();
  KeepBuffers(const KeepBuffers&) = delete;
  KeepBuffers& operator=(const KeepBuffers&) = delete;
};

/// Returns kept buffers that are not in use to the operating system.
void drop_kept_buffers();

/// Makes malloc keep released blocks smaller than `less_than` bytes and never return them to the operating system. Only
/// for programs that end when their work is done.
void keep_released_memory(std::size_t less_than);

}  // namespace srcextract
