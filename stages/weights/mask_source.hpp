#pragma once

#include <cstddef>
#include <cstdint>

#include "stages/core/pixel_source.hpp"
#include "stages/settings/mask.hpp"

namespace srcextract {

/// Which values of a quality map mean a bad pixel.
struct BadPixels {
  std::uint64_t bits = ~std::uint64_t{0};  ///< bits of the map that are tested
  GoodPixels good = GoodPixels::zero;      ///< zero: a good pixel has none of `bits` set; nonzero: at least one of
                                           ///< `bits`
};

/// The function `read` of the source that mask_source() makes: reads values of the map, and writes 1 for each bad pixel
/// and 0 for each good pixel.
struct MaskRead {
  PixelSource map;
  BadPixels bad;

  void operator()(std::int64_t first, std::int64_t count, std::byte* out) const;
};

/// Makes a source of pixels with the value 0 where a quality map says good, and BLANK where the map says bad. Integers
/// of the map are tested without BSCALE and BZERO, except that BZERO's conventions for unsigned integers and signed
/// bytes apply. A real number 0 has no bit set; any other real number, also NaN, has all bits set. A pixel with the
/// map's BLANK value is bad.
PixelSource mask_source(const PixelSource& map, const BadPixels& bad);

/// Number of bits of the integers in a map; 0 if the map has real numbers.
int mask_bits(const PixelFormat& format);

}  // namespace srcextract
