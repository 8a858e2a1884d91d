#pragma once

#include <cstdint>

#include "stages/math/exact_math.hpp"

namespace srcextract {

/// What is counted over pixels above a level in the image that is measured, above the sky.
struct IsophoteCounts {
  float level;
  float peak;               ///< the brightest of those pixels
  std::int64_t above;       ///< that are brighter than the level
  std::int64_t above_half;  ///< that are brighter than half_way of it and the peak

  SRCEXTRACT_HOST_DEVICE float half_way() const {
    return static_cast<float>((static_cast<double>(level) + static_cast<double>(peak)) / 2);
  }
};

/// By how much the area within an isophote is smaller than that of the Gaussian which its moments are of (SExtractor's
/// abcor): what is above half the peak tells its slope.
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
