#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace srcextract {

/// Memory of floats, aligned to 64 bytes, for the loops of eight_lanes.hpp. It holds zeros at first.
class AlignedFloats {
 public:
  AlignedFloats() = default;
  explicit AlignedFloats(std::size_t count) { reset(count); }
  AlignedFloats(AlignedFloats&&) = default;  // a vector that is moved keeps its place
  AlignedFloats& operator=(AlignedFloats&&) = default;
  AlignedFloats(const AlignedFloats&) = delete;
  AlignedFloats& operator=(const AlignedFloats&) = delete;

  void reset(std::size_t count) {
    constexpr std::size_t line = 16;
    memory_.assign(count + line, 0.0F);
    first_ = (line - reinterpret_cast<std::uintptr_t>(memory_.data()) / sizeof(float) % line) % line;
    count_ = count;
  }
  std::size_t size() const { return count_; }
  float* data() { return memory_.data() + first_; }
  const float* data() const { return memory_.data() + first_; }

 private:
  std::vector<float> memory_;
  std::size_t first_ = 0, count_ = 0;
};

}  // namespace srcextract
