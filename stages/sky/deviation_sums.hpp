#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "stages/core/host_device.hpp"
#include "stages/math/ordered_key.hpp"

namespace srcextract {

/// The set of pixels with lower < x < upper. A masked pixel (NaN) is in no interval.
struct Interval {
  float lower;
  float upper;

  SRCEXTRACT_HOST_DEVICE bool contains(float x) const { return x > lower && x < upper; }
  SRCEXTRACT_HOST_DEVICE bool contains(const Interval& other) const {
    return other.lower >= lower && other.upper <= upper;
  }
  SRCEXTRACT_HOST_DEVICE Interval within(const Interval& other) const {
    return {lower > other.lower ? lower : other.lower, upper < other.upper ? upper : other.upper};
  }
};

/// Defines how sums over the image are rounded, so that sums are equal to the last bit on CPU and GPU. With d = x -
/// centre, computed in double, and ties rounded to even:
/// - A sum of d adds, for every pixel, the multiple of 2^-44 scale that is nearest to d.
/// - A sum of d^2 adds the multiple of 2^-40 scale^2 that is nearest to d^2.
/// - These multiples are for |d| < 32 scale (class 0). For 32^k scale <= |d| < 32^(k + 1) scale (class k) the multiples
///   are coarser by 32^k and 32^2k.
///
/// The multiples are added as integers, so the sums are exact, whatever the order of pixels, threads and passes. The
/// variance is wrong by at most 2^-41 scale^2; that happens in an image of few different values, whose rounding errors
/// are equal. Clipped sets have sigma >= scale / 8 (stages/sky/clip.hpp), so the relative error of sigma is at most
/// 2e-11, and mostly one unit in the last place.
struct SumGrid {
  double centre = 0;  ///< at first the median of a sample of the image (stages/sky/sky_sample.hpp); representable as a
                      ///< float
  double scale = 1;   ///< a power of two; at first the interquartile range of the sample, rounded down

  SRCEXTRACT_HOST_DEVICE double deviation(float x) const { return static_cast<double>(x) - centre; }
  /// The distance from the centre below which pixels are of class 0. Nearly all sky pixels are of class 0.
  SRCEXTRACT_HOST_DEVICE double near() const { return 32 * scale; }
  /// The interval that contains exactly the pixels of class 0.
  SRCEXTRACT_HOST_DEVICE Interval near_pixels() const {
    float lower = floor_to_float(centre - near());
    float upper = ceil_to_float(centre + near());
    // Each end moves outwards while the rounding of deviation() makes a pixel at the end one of class 0.
    while (deviation(lower) > -near()) lower = next_below(lower);
    while (deviation(upper) < near()) upper = next_above(upper);
    return {lower, upper};
  }
};

/// Constants for rounding to the multiples of SumGrid: `first` for d, `second` for d^2. A double plus the constant is a
/// double whose low bits hold the nearest multiple as an integer.
struct RoundingConstants {
  SRCEXTRACT_HOST_DEVICE explicit RoundingConstants(double scale)
      : first(0x1.8p52 * 0x1p-44 * scale), second(0x1.8p52 * 0x1p-40 * scale * scale) {}
  double first;
  double second;
};

/// Number of classes of SumGrid. All pixels have |d| < 32^57 scale, since two floats differ by less than 2^130, and the
/// smallest scale is 2^-149.
inline constexpr int sum_classes = 57;

SRCEXTRACT_HOST_DEVICE inline std::int64_t bits_of(double value) {
  std::int64_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

/// The largest power of two that is at most `value`, which must be above 0.
SRCEXTRACT_HOST_DEVICE inline double power_of_two_below(double value) {
  const std::int64_t exponent = bits_of(value) & 0x7ff0000000000000;
  double power;
  memcpy(&power, &exponent, sizeof(power));
  return power;
}

/// An exact sum of up to 2^31 integers whose magnitudes are below 2^62. The two words are added separately, without a
/// carry from low to high.
struct ExactSum {
  std::int64_t low = 0;   ///< sum of the low 32 bits, taken as unsigned
  std::int64_t high = 0;  ///< sum of the high 32 bits, signed

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

/// Sums over the pixels of an interval of values, separately for each class of |d| (SumGrid). The sums of a class are
/// integers: counts of the multiples to which d and d^2 are rounded in this class.
struct PixelSums {
  std::int64_t count = 0;
  std::int64_t below = 0;  ///< number of pixels at or below the lower end of the interval; the sums do not contain them
  std::int32_t classes = 1;      ///< number of the last class that has pixels, plus 1
  ExactSum first[sum_classes];   ///< sums of d
  ExactSum second[sum_classes];  ///< sums of d^2
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

/// The smallest and the largest pixel of a set; infinity and -infinity for an empty set.
struct Extremes {
  float smallest = std::numeric_limits<float>::infinity();
  float largest = -std::numeric_limits<float>::infinity();
};

/// The integers that a pixel with |d| >= 32 scale, of class k, adds to first[k] and second[k] of PixelSums.
struct FarTerms {
  int k;
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

/// Mean deviation from the grid's centre, and population variance, of a set of at least one pixel.
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
