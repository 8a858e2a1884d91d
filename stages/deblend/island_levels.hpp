#pragma once

#include <cmath>
#include <cstdint>

#include "stages/math/exact_math.hpp"

namespace srcextract {

/// Limit of the number of levels at which an island (connected set of foreground pixels) is examined: the index of a
/// level is stored in one byte.
inline constexpr int most_levels = 256;

/// Computes the `count` levels of an island. `threshold`, `peak` and levels are pixel values minus the sky: level[k] =
/// threshold (peak / threshold)^(k / count), 0 <= k < count. Requires 0 < threshold <= peak. Each level is computed in
/// double and rounded once to float, as in SExtractor.
SRCEXTRACT_HOST_DEVICE inline void fill_levels(float threshold, float peak, int count, float* level) {
  const double ratio = static_cast<double>(peak) / static_cast<double>(threshold);
  const double step = portable_exp(portable_log(ratio) / count);
  double value = static_cast<double>(threshold);
  for (int k = 0; k < count; ++k, value *= step) level[k] = static_cast<float>(value);
}

/// Returns the highest k with value > level[k], or 0 if there is none. Levels must ascend.
SRCEXTRACT_HOST_DEVICE inline std::uint8_t level_of(float value, const float* level, int count) {
  int below = 0;  // invariant: level[below] < value, or below is 0
  for (int size = count; size > 1;) {
    const int half = size / 2;
    below = value > level[below + half] ? below + half : below;
    size -= half;
  }
  return static_cast<std::uint8_t>(below);
}

/// The unit of an island's fluxes. Pixel values are converted to integer multiples of the unit, so that their sum does
/// not depend on the order of addition. The unit is the last binary digit of the threshold as a float. All floats above
/// the threshold are multiples of this digit, so the conversion is exact. Exception: if (number of pixels) x peak /
/// threshold exceeds 2^37, the unit may be larger, so that the sum stays below 2^62.
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

  /// Converts a pixel's value minus the sky to an integer number of units. If the user drew the labels, an island may
  /// have masked pixels, which give 0, and values below minus the peak. Values below minus the peak are limited, so
  /// that the sum cannot overflow.
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

/// Whether a node (connected pixels above the level) has more than `least` flux above the level. `flux` is the node's
/// flux above the sky, and `pixels` its number of pixels.
SRCEXTRACT_HOST_DEVICE inline bool is_significant(float flux, float level, std::int64_t pixels, double least) {
  const auto below = static_cast<float>(static_cast<double>(level) * static_cast<double>(pixels));
  return static_cast<double>(flux - below) > least;
}

}  // namespace srcextract
