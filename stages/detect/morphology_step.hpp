#pragma once

#include <cstdint>
#include <utility>

#include "stages/core/bit_mask.hpp"
#include "stages/core/host_device.hpp"

namespace srcextract {

/// join() combines the bits of two pixels under the element: with "and" for erosion, with "or" for dilation.
struct Erosion {
  SRCEXTRACT_HOST_DEVICE static std::uint32_t join(std::uint32_t a, std::uint32_t b) { return a & b; }
};
struct Dilation {
  SRCEXTRACT_HOST_DEVICE static std::uint32_t join(std::uint32_t a, std::uint32_t b) { return a | b; }
};

/// Combines the pixels of a word with the pixels above and below them.
template <class Operation>
SRCEXTRACT_HOST_DEVICE inline std::uint32_t join_rows(std::uint32_t above, std::uint32_t word, std::uint32_t below) {
  return Operation::join(Operation::join(above, word), below);
}

/// Combines the pixels of `joined`, the result of join_rows, with their neighbours on either side. `before`, `word` and
/// `after` are words of the row itself for a cross, of the row after join_rows for a square. The pixel before bit 0 is
/// bit 31 of `before`.
template <class Operation>
SRCEXTRACT_HOST_DEVICE inline std::uint32_t join_sides(std::uint32_t joined, std::uint32_t before, std::uint32_t word,
                                                       std::uint32_t after) {
  return Operation::join(Operation::join(joined, word << 1 | before >> 31), word >> 1 | after << 31);
}

/// A word with the bits of pixel `begin` and all later pixels of its word.
SRCEXTRACT_HOST_DEVICE inline std::uint32_t pixels_from(std::int64_t begin) {
  return 0xffffffffU << begin % 32;
}

/// A word with the bits of pixel `end` - 1 and all earlier pixels of its word.
SRCEXTRACT_HOST_DEVICE inline std::uint32_t pixels_until(std::int64_t end) {
  return 0xffffffffU >> (31 - (end - 1) % 32);
}

/// Returns the mask after `iterations` >= 1 calls of step(from, to).
template <class Where, class Step>
BitMask<Where> repeat_step(const BitMask<Where>& mask, std::int64_t iterations, const Where& where, const Step& step) {
  BitMask<Where> result(mask.shape, where);
  if (mask.words.empty()) return result;
  step(mask, result);
  BitMask<Where> next = iterations > 1 ? BitMask<Where>(mask.shape, where) : BitMask<Where>();
  for (std::int64_t i = 1; i < iterations; ++i) {
    step(result, next);
    std::swap(result, next);
  }
  return result;
}

}  // namespace srcextract
