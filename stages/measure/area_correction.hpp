#pragma once

#include <cstdint>

#include "stages/math/exact_math.hpp"

namespace srcextract {

/// A level above the sky, with the peak of a source and counts of its pixels above the level, in the measured image.
struct IsophoteCounts {
  float level;
  float peak;               ///< brightest pixel
  std::int64_t above;       ///< number of pixels above the level
  std::int64_t above_half;  ///< number of pixels above half_way(), the mean of level and peak

  SRCEXTRACT_HOST_DEVICE float half_way() const {
    return static_cast<float>((static_cast<double>(level) + static_cast<double>(peak)) / 2);
  }
};

/// The area within an isophote divided by that of a Gaussian with the same moments; at most 1 (SExtractor's abcor). How
/// many pixels are above half_way() tells the slope.
SRCEXTRACT_HOST_DEVICE inline double area_correction(const IsophoteCounts& counts, double a, double b) {
  const float half_way = counts.half_way();
  if (!(half_way > 0)) return 1;
  const float ratio = counts.level / half_way;
  const double fall = portable_log(ratio < 1 ? static_cast<double>(ratio) : 0.99);
  const std::int64_t steeper = counts.above_half - counts.above;
  constexpr double pi = 3.14159265358979323846;
  const double correction = static_cast<double>(steeper < 0 ? steeper : -1) / (2 * pi * fall * a * b);
  return correction < 1 ? correction : 1;
}

}  // namespace srcextract
