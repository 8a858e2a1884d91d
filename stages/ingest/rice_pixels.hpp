#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

#include "stages/core/rice_plane.hpp"
#include "stages/ingest/decode.hpp"

namespace srcextract {

/// Parameters common to all tiles of a plane compressed with RICE_1 (FITS Standard 4.0, 10.4.1), in a form for loops
/// over pixels on the host and on a GPU.
struct RiceFormat {
  Decoder decoder;
  int bitpix;  ///< BITPIX of the uncompressed image
  std::int32_t block;
  RiceCoding coding;
  Dither dither;
};

inline RiceFormat make_rice_format(const RicePlane& plane, const PixelFormat& format) {
  return {make_decoder(format), format.bitpix, static_cast<std::int32_t>(plane.block), rice_coding(plane.pixel_bytes),
          plane.dither};
}

/// Scaling of one tile's integers to floats: float = zero + scale * integer.
struct RiceScale {
  double scale, zero;
  std::int32_t blank;  ///< integer that stands for NaN, if has_blank
  bool has_blank;
  std::int32_t random_begin;  ///< index of the random number that gives the tile's start (random_place())
};

/// Interprets the lowest `pixel_bits` bits as an integer: unsigned if there are 8 bits, signed if there are 16 or 32.
SRCEXTRACT_HOST_DEVICE inline std::int32_t rice_integer(std::uint32_t bits, int pixel_bits) {
  if (pixel_bits == 8) return static_cast<std::uint8_t>(bits);
  return pixel_bits == 16 ? static_cast<std::int16_t>(bits) : static_cast<std::int32_t>(bits);
}

inline RiceScale make_rice_scale(const Quantisation& how, const RicePlane& plane) {
  const auto blank = static_cast<std::uint32_t>(how.blank.value_or(0));
  return {how.scale, how.zero, rice_integer(blank, rice_coding(plane.pixel_bytes).pixel_bits), how.blank.has_value(),
          static_cast<std::int32_t>(how.random_begin % random_count)};
}

/// A tile's position in the table of random numbers for dithering (FITS Standard 4.0, Appendix I). at() is the index of
/// the number for the next pixel. When the table is exhausted, reading continues at index next(). A tile without dither
/// has a null `randoms`.
class DitherPlace {
 public:
  SRCEXTRACT_HOST_DEVICE DitherPlace(const float* randoms, std::int32_t begin) : randoms_(randoms), begin_(begin) {
    if (randoms_ == nullptr) return;
    at_ = random_place(randoms_[begin_]);
    find_next();
  }

  SRCEXTRACT_HOST_DEVICE std::int32_t at() const { return at_; }
  SRCEXTRACT_HOST_DEVICE std::int32_t next() const { return next_; }

  /// Advances by `pixels` pixels. The step must be so short that the position passes the end of the table at most once.
  SRCEXTRACT_HOST_DEVICE void advance(std::int32_t pixels) {
    at_ += pixels;
    if (randoms_ == nullptr || at_ < random_count) return;
    at_ = next_ + at_ - static_cast<std::int32_t>(random_count);
    find_next();
  }

  /// Returns the random number for the pixel that follows `behind` pixels after the pixel whose number has index `at`.
  /// `next` is the index at which reading continues after the end of the table.
  SRCEXTRACT_HOST_DEVICE static float number(const float* randoms, std::int32_t at, std::int32_t next,
                                             std::int32_t behind) {
    const std::int32_t place = at + behind, beyond = place - static_cast<std::int32_t>(random_count);
    return randoms[beyond < 0 ? place : next + beyond];
  }

 private:
  SRCEXTRACT_HOST_DEVICE void find_next() {
    begin_ = begin_ + 1 == random_count ? 0 : begin_ + 1;
    next_ = random_place(randoms_[begin_]);
  }

  const float* randoms_;
  std::int32_t begin_;
  std::int32_t at_ = 0, next_ = 0;
};

/// Whether an integer of a tile is outside the range of the image's pixel type (BITPIX 8 or 16). Only damaged tiles
/// contain such integers.
SRCEXTRACT_HOST_DEVICE inline bool is_too_large(std::int32_t integer, int bitpix) {
  if (bitpix == 8) return integer != static_cast<std::uint8_t>(integer);
  return bitpix == 16 && integer != static_cast<std::int16_t>(integer);
}

/// Converts a tile's integer to a float, with the same result as restore_floats() (io/tiles/quantised_floats.hpp).
template <class Float>
SRCEXTRACT_HOST_DEVICE Float restore_float(std::int32_t integer, float random, const RiceScale& how,
                                           const RiceFormat& format) {
  if (how.has_blank && integer == how.blank) return std::numeric_limits<Float>::quiet_NaN();
  if (format.dither == Dither::subtractive_2 && format.coding.pixel_bits == 32 && integer == exact_zero) return 0;
  return static_cast<Float>(format.dither == Dither::none ? scaled_integer(integer, how.scale, how.zero)
                                                          : undithered_integer(integer, random, how.scale, how.zero));
}

template <class Stored>
SRCEXTRACT_HOST_DEVICE float decode_value(typename Stored::Value value, const Decoder& decoder, MaskCounts& counts) {
  typename Stored::Bits bits;
  memcpy(&bits, &value, sizeof(bits));
  return decode_pixel<Stored>(bits, decoder, counts);
}

/// Converts a tile's integer to a decoded pixel; a pixel that is BLANK or not finite becomes masked_pixel and is
/// counted. `random` is the pixel's random number, which is used only if the tile was dithered.
SRCEXTRACT_HOST_DEVICE inline float rice_pixel(std::int32_t integer, float random, const RiceScale& how,
                                               const RiceFormat& format, MaskCounts& counts) {
  if (format.bitpix == -32)
    return decode_value<StoredFloat>(restore_float<float>(integer, random, how, format), format.decoder, counts);
  if (format.bitpix == -64)
    return decode_value<StoredDouble>(restore_float<double>(integer, random, how, format), format.decoder, counts);
  return decode_value<Stored32>(integer, format.decoder, counts);
}

}  // namespace srcextract
