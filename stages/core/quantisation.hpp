#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "stages/core/host_device.hpp"

namespace srcextract {

enum class Dither { none, subtractive_1, subtractive_2 };

/// The conversion of the integers in a tile of a compressed image to floats (FITS Standard 4.0, section 10.2). The
/// value is zero + scale * integer, computed in double. If the compressor added a random offset before rounding
/// (dithering), the conversion subtracts the same offset. An integer equal to `blank` becomes NaN.
struct Quantisation {
  double scale = 1, zero = 0;
  std::optional<std::int32_t> blank = std::nullopt;
  Dither dither = Dither::none;
  /// index of the tile, from 0, plus ZDITHER0 - 1; modulo random_count, the index of a random number
  std::int64_t random_begin = 0;
};

/// The 32-bit integer that stands for an exact zero under SUBTRACTIVE_DITHER_2.
inline constexpr std::int32_t exact_zero = -2147483646;

/// How many random numbers FITS Standard 4.0, appendix I, defines. The numbers are rounded to float, as in CFITSIO.
inline constexpr std::int64_t random_count = 10000;
using Randoms = std::array<float, random_count>;

inline Randoms make_randoms() {
  Randoms randoms{};
  std::int64_t seed = 1;
  for (float& number : randoms) {
    seed = 16807 * seed % 2147483647;
    number = static_cast<float>(static_cast<double>(seed) / 2147483647.0);
  }
  return randoms;
}

inline const Randoms& randoms() {
  static const Randoms made = make_randoms();
  return made;
}

/// The index of the random number for the first pixel of a tile. `number` is the random number with index
/// `random_begin`. When a tile has used the last random number, the tile goes on at random_place() of the number that
/// follows `number`.
SRCEXTRACT_HOST_DEVICE inline std::int32_t random_place(float number) {
  return static_cast<std::int32_t>(number * 500);
}

/// Converts an integer to the value, unrounded; the caller rounds to float.
SRCEXTRACT_HOST_DEVICE inline double scaled_integer(double integer, double scale, double zero) {
  return integer * scale + zero;
}

/// Converts an integer to the value if the compressor dithered the integer with the random number `random`.
SRCEXTRACT_HOST_DEVICE inline double undithered_integer(double integer, float random, double scale, double zero) {
  return (integer - random + 0.5) * scale + zero;
}

}  // namespace srcextract
