#pragma once

#include <cstdint>
#include <utility>

#include "stages/core/bit_mask.hpp"
#include "stages/core/host_device.hpp"

namespace srcextract {

/// Erosion keeps a pixel if all pixels under the element are foreground, dilation if any is.
struct Erosion {
  SRCEXTRACT_HOST_DEVICE static std::uint32_t join(std::uint32_t a, std::uint32_t b) { return a & b; }
};
struct Dilation {
  SRCEXTRACT_HOST_DEVICE static std::uint32_t join(std::uint32_t a, std::uint32_t b) { return a | b; }
};

/// Joins the pixels of a word with those of the words above and below.
template <class Operation>
SRCEXTRACT_HOST_DEVICE inline std::uint32_t join_rows(std::uint32_t above, std::uint32_t word, std::uint32_t below) {
  return Operation::join(Operation::join(above, word), below);
}

/// Joins the pixels of a word, already joined with those above and below, with their neighbours on either side.
/// `before`, `word` and `after` come from the row itself for a cross, from the joined rows for a square. The pixel
/// before bit 0 is bit 31 of `before`.
template <class Operation>
SRCEXTRACT_HOST_DEVICE inline std::uint32_t join_sides(std::uint32_t joined, std::uint32_t before, std::uint32_t word,
                                                       std::uint32_t after) {
  return Operation::join(Operation::join(joined, word << 1 | before >> 31), word >> 1 | after << 31);
}

/// The bits of pixel `begin` and the pixels after it in its word.
SRCEXTRACT_HOST_DEVICE inline std::uint32_t pixels_from(std::int64_t begin) {
  return 0xffffffffU << begin % 32;
}

/// The bits of pixel `end` - 1 and the pixels before it in its word.
SRCEXTRACT_HOST_DEVICE inline std::uint32_t pixels_until(std::int64_t end) {
  return 0xffffffffU >> (31 - (end - 1) % 32);
}

/// The mask after `iterations` >= 1 calls of step(from, to).
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
