#pragma once

#include <cstdint>

#include "stages/core/image.hpp"

namespace srcextract {

/// A mask of foreground pixels as bits: pixel x of row y is bit x % 32 of word y * words_per_row() + x / 32. Bits
/// beyond the end of a row are 0.
template <class Where>
struct BitMask {
  BitMask() = default;
  BitMask(Shape size, const Where& where) : shape(size), words(words_per_row() * size.height, where) {}

  std::int64_t words_per_row() const { return (shape.width + 31) / 32; }

  Shape shape;
  Buffer<std::uint32_t, Where> words;
};

}  // namespace srcextract
