#pragma once

#include <cstdint>
#include <utility>

#include "stages/core/bit_mask.hpp"
#include "stages/core/host_device.hpp"

namespace srcextract {

/// join() combines the pixels of two words, bit by bit.
struct Erosion {
  SRCEXTRACT_HOST_DEVICE static std::uint32_t join(std::uint32_t a, std::uint32_t b) { return a & b; }
};
struct Dilation {
  SRCEXTRACT_HOST_DEVICE static std::uint32_t join(std::uint32_t a, std::uint32_t b) { return a | b; }
};

/// Combines each pixel of a word with the pixels above and below.
template <class Operation>
SRCEXTRACT_HOST_DEVICE inline std::uint32_t join_rows(std::uint32_t above, std::uint32_t word, std::uint32_t below) {
  return Operation::join(Operation::join(above, word), below);
}

/// Combines each pixel of `joined`, the result of join_rows(), with its left and right neighbours. `word` is the word
/// of the neighbours, `before` and `after` are the words to its left and right. If the structuring element is a cross,
/// these three words are from the row itself; if a square, from the result of join_rows(). The pixel to the left of bit
/// 0 is bit 31 of `before`.
template <class Operation>
SRCEXTRACT_HOST_DEVICE inline std::uint32_t join_sides(std::uint32_t joined, std::uint32_t before, std::uint32_t word,
                                                       std::uint32_t after) {
  return Operation::join(Operation::join(joined, word << 1 | before >> 31), word >> 1 | after << 31);
}

/// Returns a mask of the word (32 pixels) that contains pixel `begin` of a row, with the bits of this pixel and all
/// later pixels set.
SRCEXTRACT_HOST_DEVICE inline std::uint32_t pixels_from(std::int64_t begin) {
  return 0xffffffffU << begin % 32;
}

/// Returns a mask of the word (32 pixels) that contains pixel `end` - 1 of a row, with the bits of this pixel and all
/// earlier pixels set.
SRCEXTRACT_HOST_DEVICE inline std::uint32_t pixels_until(std::int64_t end) {
  return 0xffffffffU >> (31 - (end - 1) % 32);
}

/// Applies step(from, to), which writes `to`, to the mask `iterations` times; `iterations` must be at least 1. Returns
/// the last result.
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
