#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "stages/core/host_device.hpp"
#include "stages/math/ordered_key.hpp"

namespace srcextract {

/// The pixels with lower < x < upper. A masked pixel (NaN) is in no interval.
struct Interval {
  float lower;
  float upper;

  SRCEXTRACT_HOST_DEVICE bool contains(float x) const { return x > lower && x < upper; }
  /// True if every pixel of `other` is in this interval.
  SRCEXTRACT_HOST_DEVICE bool contains(const Interval& other) const {
    return other.lower >= lower && other.upper <= upper;
  }
  SRCEXTRACT_HOST_DEVICE Interval within(const Interval& other) const {
    return {lower > other.lower ? lower : other.lower, upper < other.upper ? upper : other.upper};
  }
};

/// Defines how sums over the image are rounded, which makes them equal to the last bit on any back end. The rounding is
/// part of the specification. With d = x - centre in double and ties to even:
/// - A sum of d adds for every pixel the multiple of 2^-44 scale that is nearest to d.
/// - A sum of d^2 adds the multiple of 2^-40 scale^2 nearest to d^2.
/// - These multiples are used for |d| < 32 scale (class 0). For 32^k scale <= |d| < 32^(k + 1) scale (class k) the
///   multiples are 32^k and 32^2k times coarser.
///
/// The multiples are integers, so the sums are exact, whatever the order of pixels, threads and passes. Equal pixels
/// are rounded alike, so the variance is wrong by at most 2^-41 scale^2, in an image of a few values. Clipped sets have
/// sigma >= scale / 8 (stages/sky/clip.hpp), so sigma is wrong by at most 2e-11 of itself, and mostly by its last bit.
struct SumGrid {
  double centre = 0;  ///< median of a sample (stages/sky/sky_sample.hpp), a float
  double scale = 1;   ///< spread of the sample, rounded down to a power of two

  SRCEXTRACT_HOST_DEVICE double deviation(float x) const { return static_cast<double>(x) - centre; }
  /// Pixels with |d| below this distance are class 0, to which nearly all sky pixels belong.
  SRCEXTRACT_HOST_DEVICE double near() const { return 32 * scale; }
  /// The pixels of class 0.
  SRCEXTRACT_HOST_DEVICE Interval near_pixels() const {
    float lower = floor_to_float(centre - near());
    float upper = ceil_to_float(centre + near());
    // The ends are moved outwards where rounding of a deviation would exclude a pixel of class 0.
    while (deviation(lower) > -near()) lower = next_below(lower);
    while (deviation(upper) < near()) upper = next_above(upper);
    return {lower, upper};
  }
};

/// Constants for rounding: adding one to a double rounds the double to a multiple of SumGrid, and leaves the multiple
/// as an integer in the low bits.
struct RoundingConstants {
  SRCEXTRACT_HOST_DEVICE explicit RoundingConstants(double scale)
      : first(0x1.8p52 * 0x1p-44 * scale), second(0x1.8p52 * 0x1p-40 * scale * scale) {}
  double first;
  double second;
};

/// Number of classes of SumGrid. All pixels have |d| < 32^57 scale: floats lie less than 2^130 apart, and the least
/// scale is 2^-149.
inline constexpr int sum_classes = 57;

SRCEXTRACT_HOST_DEVICE inline std::int64_t bits_of(double value) {
  std::int64_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

/// The largest power of two <= value > 0.
SRCEXTRACT_HOST_DEVICE inline double power_of_two_below(double value) {
  const std::int64_t exponent = bits_of(value) & 0x7ff0000000000000;
  double power;
  memcpy(&power, &exponent, sizeof(power));
  return power;
}

/// A sum of up to 2^31 integers below 2^62, in two words that need no carry between them.
struct ExactSum {
  std::int64_t low = 0;   ///< sum of the low 32 bits, unsigned
  std::int64_t high = 0;  ///< sum of the high bits

  SRCEXTRACT_HOST_DEVICE void add(std::int64_t value) {
    low += static_cast<std::uint32_t>(value);
    high += value >> 32;
  }
  SRCEXTRACT_HOST_DEVICE void add(const ExactSum& other) {
    low += other.low;
    high += other.high;
  }
  SRCEXTRACT_HOST_DEVICE double value() const {
    const std::int64_t carried = high + (low >> 32);
    return static_cast<double>(carried) * 0x1p32 + static_cast<double>(low & 0xffffffff);
  }
};

/// Sums over a set of pixels, in units of SumGrid, separately for each class of |d| (SumGrid).
struct PixelSums {
  std::int64_t count = 0;
  std::int64_t below = 0;        ///< pixels <= the lower end of the interval
  std::int32_t classes = 1;      ///< number of the last class that has pixels, plus 1
  ExactSum first[sum_classes];   ///< of d
  ExactSum second[sum_classes];  ///< of d^2
};

SRCEXTRACT_HOST_DEVICE inline void add(PixelSums& to, const PixelSums& from) {
  to.count += from.count;
  to.below += from.below;
  to.classes = from.classes > to.classes ? from.classes : to.classes;
  for (int k = 0; k < from.classes; ++k) {
    to.first[k].add(from.first[k]);
    to.second[k].add(from.second[k]);
  }
}

/// The smallest and the largest of a set of pixels; for an empty set infinity and -infinity.
struct Extremes {
  float smallest = std::numeric_limits<float>::infinity();
  float largest = -std::numeric_limits<float>::infinity();
};

/// What a pixel with |d| >= 32 scale adds to the sums.
struct FarTerms {
  int k;  ///< its class
  std::int64_t first;
  std::int64_t second;
};

SRCEXTRACT_HOST_DEVICE inline FarTerms far_terms(double deviation, const SumGrid& grid) {
  const auto exponent = static_cast<int>((bits_of(deviation / grid.scale) >> 52 & 0x7ff) - 1023);
  const int k = exponent / 5;
  const std::int64_t coarser = bits_of(grid.scale) + (std::int64_t{5} * k << 52);  // 32^k scale
  double scale;
  memcpy(&scale, &coarser, sizeof(scale));
  const RoundingConstants round(scale);
  return {k, bits_of(deviation + round.first) - bits_of(round.first),
          bits_of(deviation * deviation + round.second) - bits_of(round.second)};
}

/// Mean deviation from the grid's centre, and population variance, of the summed pixels. There must be at least one
/// pixel.
struct Moments {
  double mean;
  double variance;
};

SRCEXTRACT_HOST_DEVICE inline Moments moments_of(const PixelSums& sums, const SumGrid& grid) {
  double first = 0;
  double second = 0;
  double scale = grid.scale;
  for (int k = 1; k < sums.classes; ++k) scale *= 32;
  for (int k = sums.classes - 1; k >= 0; --k, scale /= 32) {
    first += sums.first[k].value() * (0x1p-44 * scale);
    second += sums.second[k].value() * (0x1p-40 * scale * scale);
  }
  const auto n = static_cast<double>(sums.count);
  const double mean = first / n;
  const double variance = (second - first * mean) / n;
  return {mean, variance > 0 ? variance : 0};
}

}  // namespace srcextract
