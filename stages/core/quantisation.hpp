#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "stages/core/host_device.hpp"

namespace srcextract {

enum class Dither { none, subtractive_1, subtractive_2 };

/// How the integers of a tile stand for floats (FITS Standard 4.0, 10.2): value = zero + scale * integer, computed in
/// double. With dithering, the random offset used in rounding is taken out again. An integer equal to `blank` is NaN.
struct Quantisation {
  double scale = 1, zero = 0;
  std::optional<std::int32_t> blank = std::nullopt;
  Dither dither = Dither::none;
  std::int64_t random_begin = 0;  ///< number of the tile, from 0, plus ZDITHER0 - 1
};

/// The 32-bit integer that stands for an exact zero under SUBTRACTIVE_DITHER_2.
inline constexpr std::int32_t exact_zero = -2147483646;

/// The number of random numbers of FITS Standard 4.0, Appendix I, which are rounded to float as in CFITSIO.
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

/// The place where a tile starts in the random numbers. The tile reads from there to their end, then starts anew.
/// `number` is the random number at `random_begin`, and then the one after it for each new start.
SRCEXTRACT_HOST_DEVICE inline std::int32_t random_place(float number) {
  return static_cast<std::int32_t>(number * 500);
}

/// The value of an integer; the caller rounds it.
SRCEXTRACT_HOST_DEVICE inline double scaled_integer(double integer, double scale, double zero) {
  return integer * scale + zero;
}

/// The value of an integer that was dithered with `random`.
SRCEXTRACT_HOST_DEVICE inline double undithered_integer(double integer, float random, double scale, double zero) {
  return (integer - random + 0.5) * scale + zero;
}

}  // namespace srcextract
