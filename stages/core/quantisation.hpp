#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "stages/core/host_device.hpp"

namespace srcextract {

enum class Dither { none, subtractive_1, subtractive_2 };

/// How the integers of a tile stand for floats (FITS Standard 4.0, 10.2): value = zero + scale * integer, computed in
/// double, where dithering moves the integer by what it was moved when it was rounded. An integer equal to `blank` is
/// NaN.
struct Quantisation {
  double scale = 1, zero = 0;
  std::optional<std::int32_t> blank = std::nullopt;
  Dither dither = Dither::none;
  std::int64_t random_begin = 0;  ///< the number of the tile, from 0, and ZDITHER0 - 1
};

/// Stands for a zero that dithering of the second kind is to leave one, among integers of 32 bits.
inline constexpr std::int32_t exact_zero = -2147483646;

/// The random numbers of FITS Standard 4.0, Appendix I, rounded to float as CFITSIO keeps them.
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

/// A tile goes through the random numbers from one place to their end, again and again: the next number of them, from
/// `random_begin` on, tells where.
SRCEXTRACT_HOST_DEVICE inline std::int32_t random_place(float number) {
  return static_cast<std::int32_t>(number * 500);
}

/// The value of an integer, rounded by whoever keeps it.
SRCEXTRACT_HOST_DEVICE inline double scaled_integer(double integer, double scale, double zero) {
  return integer * scale + zero;
}

/// The same where it was dithered with that random number.
SRCEXTRACT_HOST_DEVICE inline double undithered_integer(double integer, float random, double scale, double zero) {
  return (integer - random + 0.5) * scale + zero;
}

}  // namespace srcextract
