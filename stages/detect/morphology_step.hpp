#pragma once

#include <cstdint>
#include <utility>

#include "stages/core/bit_mask.hpp"
#include "stages/core/host_device.hpp"

namespace srcextract {

/// Of the pixels under the element, erosion keeps what is foreground in all, dilation what is foreground in any.
struct Erosion {
  SRCEXTRACT_HOST_DEVICE static std::uint32_t join(std::uint32_t a, std::uint32_t b) { return a & b; }
};
struct Dilation {
  SRCEXTRACT_HOST_DEVICE static std::uint32_t join(std::uint32_t a, std::uint32_t b) { return a | b; }
};

/// The pixels of a word joined with those of the words above and below it.
template <class Operation>
SRCEXTRACT_HOST_DEVICE inline std::uint32_t join_rows(std::uint32_t above, std::uint32_t word, std::uint32_t below) {
  return Operation::join(Operation::join(above, word), below);
}

/// The pixels of a word that were joined with those above and below, joined with those on either side as well. These
/// are of the row itself for a cross, of the joined rows for a square: its word, the one before and the one after. The
/// pixel before bit 0 is bit 31 of the word before.
template <class Operation>
SRCEXTRACT_HOST_DEVICE inline std::uint32_t join_sides(std::uint32_t joined, std::uint32_t before, std::uint32_t word,
                                                       std::uint32_t after) {
  return Operation::join(Operation::join(joined, word << 1 | before >> 31), word >> 1 | after << 31);
}

/// The bits of the word of pixel `begin` that are this and the pixels after it.
SRCEXTRACT_HOST_DEVICE inline std::uint32_t pixels_from(std::int64_t begin) {
  return 0xffffffffU << begin % 32;
}

/// The bits of the word of pixel `end` - 1 that are this and the pixels before it.
SRCEXTRACT_HOST_DEVICE inline std::uint32_t pixels_until(std::int64_t end) {
  return 0xffffffffU >> (31 - (end - 1) % 32);
}

/// What `step(from, to)` makes of a mask when it is done so many times over, once at least.
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
