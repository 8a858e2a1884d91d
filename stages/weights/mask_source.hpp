#pragma once

#include <cstddef>
#include <cstdint>

#include "config/settings/mask.hpp"
#include "stages/core/pixel_source.hpp"

namespace srcextract {

/// Which values of a map of quality are bad.
struct BadPixels {
  std::uint64_t bits = ~std::uint64_t{0};  ///< that count
  GoodPixels good = GoodPixels::zero;      ///< where none of them is set, or where one is
};

/// The `read` of a mask_source(): asks every pixel of the map whether it is bad.
struct MaskRead {
  PixelSource map;
  BadPixels bad;

  void operator()(std::int64_t first, std::int64_t count, std::byte* out) const;
};

/// A map of quality as pixels that are masked (BLANK) where it says bad, and 0 elsewhere. Integers are looked at as
/// they are, unscaled but for the conventions for unsigned ones, to their last bit. Of real numbers 0 has no bit, and
/// all others, NaN too, have every one. What is BLANK in the map is bad.
PixelSource mask_source(const PixelSource& map, const BadPixels& bad);

/// Bits that a map has; 0 if it holds real numbers.
int mask_bits(const PixelFormat& format);

}  // namespace srcextract
