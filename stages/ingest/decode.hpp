#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "stages/core/host_device.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/core/pixel_source.hpp"

namespace srcextract {

/// PixelFormat, prepared for the loops over pixels on the host and on a GPU.
struct Decoder {
  double bscale;
  double bzero;
  std::int64_t blank;
  bool has_blank;
  bool identity;     ///< bscale is 1 and bzero is 0, so the value is the stored number, rounded once
  bool unsigned_64;  ///< FITS convention for unsigned 64-bit integers: bitpix 64, bscale 1, bzero 2^63
  bool swap;         ///< the stored byte order is not that of the host
};

inline Decoder make_decoder(const PixelFormat& format) {
  const bool no_scale = format.bscale == 1.0;
  return {format.bscale,
          format.bzero,
          format.blank.value_or(0),
          format.blank.has_value() && format.bitpix > 0,
          no_scale && format.bzero == 0.0,
          no_scale && format.bzero == 9223372036854775808.0 && format.bitpix == 64,
          format.big_endian};
}

/// Numbers of masked pixels by reason. ingest() counts three reasons: NaN in the file; infinite in the file or beyond
/// the range of float32 after scaling; equal to BLANK. Later stages count pixels that they mask because of a weight
/// map, a mask, or a map of the sky level. Each pixel is counted once, for the first reason that applies.
struct MaskCounts {
  std::int64_t nan = 0;
  std::int64_t infinite = 0;
  std::int64_t blank = 0;
  std::int64_t weight = 0;
  std::int64_t mask = 0;
  std::int64_t level = 0;

  SRCEXTRACT_HOST_DEVICE std::int64_t total() const { return nan + infinite + blank + weight + mask + level; }
};

SRCEXTRACT_HOST_DEVICE inline std::uint8_t swap_bytes(std::uint8_t v) {
  return v;
}
SRCEXTRACT_HOST_DEVICE inline std::uint16_t swap_bytes(std::uint16_t v) {
  return static_cast<std::uint16_t>((v << 8) | (v >> 8));
}
SRCEXTRACT_HOST_DEVICE inline std::uint32_t swap_bytes(std::uint32_t v) {
  return (v << 24) | ((v & 0xff00u) << 8) | ((v >> 8) & 0xff00u) | (v >> 24);
}
SRCEXTRACT_HOST_DEVICE inline std::uint64_t swap_bytes(std::uint64_t v) {
  return (static_cast<std::uint64_t>(swap_bytes(static_cast<std::uint32_t>(v))) << 32) |
         swap_bytes(static_cast<std::uint32_t>(v >> 32));
}

/// Types of stored pixels, named by their number of bits. A pixel is loaded and byte-swapped as `Bits`, and its bits
/// are then interpreted as `Value`.
struct Stored8 {
  using Bits = std::uint8_t;
  using Value = std::uint8_t;
};
struct Stored16 {
  using Bits = std::uint16_t;
  using Value = std::int16_t;
};
struct Stored32 {
  using Bits = std::uint32_t;
  using Value = std::int32_t;
};
struct Stored64 {
  using Bits = std::uint64_t;
  using Value = std::int64_t;
};
struct StoredFloat {
  using Bits = std::uint32_t;
  using Value = float;
};
struct StoredDouble {
  using Bits = std::uint64_t;
  using Value = double;
};

/// Calls f with an object of the type that belongs to this BITPIX, for example Stored16 for 16. Every BITPIX not listed
/// counts as -64.
template <class F>
void with_stored_type(int bitpix, F&& f) {
  switch (bitpix) {
    case 8:
      return f(Stored8{});
    case 16:
      return f(Stored16{});
    case 32:
      return f(Stored32{});
    case 64:
      return f(Stored64{});
    case -32:
      return f(StoredFloat{});
    default:
      return f(StoredDouble{});
  }
}

/// Computes bzero + bscale * stored in double, and rounds the result once to float.
template <class Stored>
SRCEXTRACT_HOST_DEVICE float scaled_value(typename Stored::Value stored, const Decoder& decoder) {
  if (decoder.identity) return static_cast<float>(stored);
  if constexpr (std::is_same_v<Stored, Stored64>) {
    if (decoder.unsigned_64) {
      return static_cast<float>(static_cast<std::uint64_t>(stored) ^ (std::uint64_t{1} << 63));
    }
  }
  return static_cast<float>(decoder.bzero + decoder.bscale * static_cast<double>(stored));
}

/// Decodes one pixel. A pixel that is BLANK or not finite becomes masked_pixel and is added to `counts`.
template <class Stored>
SRCEXTRACT_HOST_DEVICE float decode_pixel(typename Stored::Bits bits, const Decoder& decoder, MaskCounts& counts) {
  if (decoder.swap) bits = swap_bytes(bits);
  typename Stored::Value stored;
  memcpy(&stored, &bits, sizeof(stored));
  // This code has no branches, so that compilers vectorise the loop over pixels.
  bool blank = false;
  if constexpr (std::numeric_limits<typename Stored::Value>::is_integer)
    blank = decoder.has_blank & (static_cast<std::int64_t>(stored) == decoder.blank);
  const float value = scaled_value<Stored>(stored, decoder);
  std::uint32_t value_bits;
  memcpy(&value_bits, &value, sizeof(value_bits));
  const std::uint32_t magnitude = value_bits & 0x7fffffffu;
  constexpr std::uint32_t infinity = 0x7f800000u;
  counts.blank += blank;
  counts.infinite += !blank & (magnitude == infinity);
  counts.nan += !blank & (magnitude > infinity);
  return (blank | (magnitude >= infinity)) ? masked_pixel : value;
}

}  // namespace srcextract
