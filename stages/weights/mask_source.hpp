#pragma once

#include <cstddef>
#include <cstdint>

#include "stages/core/pixel_source.hpp"
#include "stages/settings/mask.hpp"

namespace srcextract {

/// The bad values of a quality map.
struct BadPixels {
  std::uint64_t bits = ~std::uint64_t{0};  ///< bits that count
  GoodPixels good = GoodPixels::zero;      ///< a good pixel has none of `bits` set (zero), or any (nonzero)
};

/// The `read` of a mask_source(): reads the map, and writes for every pixel whether it is bad.
struct MaskRead {
  PixelSource map;
  BadPixels bad;

  void operator()(std::int64_t first, std::int64_t count, std::byte* out) const;
};

/// Makes a source of pixels that are masked (BLANK) where a quality map says bad, and 0 elsewhere. Integers are tested
/// by their bits, unscaled except for the conventions for unsigned integers and signed bytes. A real number 0 has no
/// bit set; any other number, also NaN, has all. A BLANK pixel of the map is bad.
PixelSource mask_source(const PixelSource& map, const BadPixels& bad);

/// Number of bits of the integers in a map; 0 if it holds real numbers.
int mask_bits(const PixelFormat& format);

}  // namespace srcextract
