#pragma once

#include <algorithm>
#include <cstdint>

#include "stages/core/buffer.hpp"

namespace srcextract {

/// An array that is reused for one island (connected set of foreground pixels) after another. Shrinking keeps the
/// memory and the elements.
template <class T>
class Scratch {
 public:
  /// Sets the size. If the memory is too small for this size, new memory is allocated and all elements are lost.
  void make_room(std::int64_t size) {
    if (size > room_.size()) room_ = Buffer<T, Cpu>(std::max(size, 2 * room_.size()), Cpu{});
    size_ = size;
  }
  void clear() { size_ = 0; }
  /// Appends an element. Unlike make_room(), keeps the elements when new memory is allocated.
  void push_back(const T& element) {
    if (size_ == room_.size()) {
      Buffer<T, Cpu> larger(std::max<std::int64_t>(16, 2 * size_), Cpu{});
      std::copy(begin(), end(), larger.begin());
      room_ = std::move(larger);
    }
    room_[size_++] = element;
  }

  std::int64_t size() const { return size_; }
  T& operator[](std::int64_t i) { return room_[i]; }
  const T& operator[](std::int64_t i) const { return room_[i]; }
  T* begin() { return room_.data(); }
  T* end() { return room_.data() + size_; }
  const T* begin() const { return room_.data(); }
  const T* end() const { return room_.data() + size_; }
  const T& back() const { return room_[size_ - 1]; }

 private:
  Buffer<T, Cpu> room_;
  std::int64_t size_ = 0;
};

}  // namespace srcextract
