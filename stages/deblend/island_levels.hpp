#pragma once

#include <cmath>
#include <cstdint>

#include "stages/math/exact_math.hpp"

namespace srcextract {

/// A level is stored in a byte.
inline constexpr int most_levels = 256;

/// Fills in the `count` levels of an island, relative to the sky: level[k] = threshold (peak / threshold)^(k / count),
/// 0 <= k < count. Requires 0 < threshold <= peak. Each level is rounded to float once, as SExtractor's are.
SRCEXTRACT_HOST_DEVICE inline void fill_levels(float threshold, float peak, int count, float* level) {
  const double ratio = static_cast<double>(peak) / static_cast<double>(threshold);
  const double step = portable_exp(portable_log(ratio) / count);
  double value = static_cast<double>(threshold);
  for (int k = 0; k < count; ++k, value *= step) level[k] = static_cast<float>(value);
}

/// The highest k with value > level[k], or 0.
SRCEXTRACT_HOST_DEVICE inline std::uint8_t level_of(float value, const float* level, int count) {
  int below = 0;  // invariant: level[below] < value, or below is 0
  for (int size = count; size > 1;) {
    const int half = size / 2;
    below = value > level[below + half] ? below + half : below;
    size -= half;
  }
  return static_cast<std::uint8_t>(below);
}

/// The unit in which the fluxes of an island's pixels are converted to integers, so that the order of sums does not
/// matter. All values above the threshold are multiples of its last binary digit, 2^(exponent of threshold - 23), so
/// counts are exact. Exception: if n peak / threshold is above 2^37, the unit is larger, so that the sum fits in 62
/// bits.
class FluxUnit {
 public:
  SRCEXTRACT_HOST_DEVICE FluxUnit(float threshold, float peak, std::int64_t pixels) {
    int of_threshold = 0, of_peak = 0, of_pixels = 0;
    std::frexp(static_cast<double>(threshold), &of_threshold);
    std::frexp(static_cast<double>(peak), &of_peak);
    std::frexp(static_cast<double>(pixels), &of_pixels);
    const int exponent = of_threshold - 24 > of_peak + of_pixels - 62 ? of_threshold - 24 : of_peak + of_pixels - 62;
    unit_ = std::ldexp(1.0, exponent);
    units_ = std::ldexp(1.0, -exponent);
    most_ = std::ldexp(1.0, 62 - of_pixels);
  }

  /// Converts a pixel's value to whole units. User-drawn labels may cover masked pixels, which count 0. They may also
  /// cover values further below zero than the peak is above, which are limited to the lowest count.
  SRCEXTRACT_HOST_DEVICE std::int64_t count(float value) const {
    const double counts = static_cast<double>(value) * units_;
    if (!(counts > -most_)) return counts <= -most_ ? static_cast<std::int64_t>(-most_) : 0;
    return static_cast<std::int64_t>(std::llrint(counts));
  }
  SRCEXTRACT_HOST_DEVICE float flux(std::int64_t counts) const {
    return static_cast<float>(static_cast<double>(counts) * unit_);
  }

 private:
  double unit_, units_, most_;
};

/// Whether a node of `pixels` pixels has more than `least` flux above the level. `flux` is its flux above the sky.
SRCEXTRACT_HOST_DEVICE inline bool is_significant(float flux, float level, std::int64_t pixels, double least) {
  const auto below = static_cast<float>(static_cast<double>(level) * static_cast<double>(pixels));
  return static_cast<double>(flux - below) > least;
}

}  // namespace srcextract
