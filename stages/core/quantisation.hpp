#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "stages/core/host_device.hpp"

namespace srcextract {

enum class Dither { none, subtractive_1, subtractive_2 };

/// How the integers of a tile are converted to floats (FITS Standard 4.0, 10.2): value = zero + scale * integer,
/// computed in double. With dithering, the random offset that was added before rounding is subtracted again. An integer
/// equal to `blank` is NaN.
struct Quantisation {
  double scale = 1, zero = 0;
  std::optional<std::int32_t> blank = std::nullopt;
  Dither dither = Dither::none;
  std::int64_t random_begin = 0;  ///< number of the tile, from 0, plus ZDITHER0 - 1
};

/// The 32-bit integer that stands for an exact zero under SUBTRACTIVE_DITHER_2.
inline constexpr std::int32_t exact_zero = -2147483646;

/// How many random numbers FITS Standard 4.0, Appendix I, defines. They are rounded to float as in CFITSIO.
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

/// The index at which a tile starts to read random numbers. `number` is the random number at `random_begin`. After the
/// last random number the tile starts anew, and `number` is then the one after the previous `number`.
SRCEXTRACT_HOST_DEVICE inline std::int32_t random_place(float number) {
  return static_cast<std::int32_t>(number * 500);
}

/// Converts an integer to its value in double; the caller rounds it.
SRCEXTRACT_HOST_DEVICE inline double scaled_integer(double integer, double scale, double zero) {
  return integer * scale + zero;
}

/// Converts an integer that was dithered with `random` to its value.
SRCEXTRACT_HOST_DEVICE inline double undithered_integer(double integer, float random, double scale, double zero) {
  return (integer - random + 0.5) * scale + zero;
}

}  // namespace srcextract
