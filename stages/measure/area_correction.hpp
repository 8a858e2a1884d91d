#pragma once

#include <cstdint>
#include <numbers>

#include "stages/math/exact_math.hpp"

namespace srcextract {

/// Counts of a source's pixels above an isophote. `level` and `peak` are pixel values above the sky in the measured
/// image.
struct IsophoteCounts {
  float level;
  float peak;               ///< value of the brightest pixel
  std::int64_t above;       ///< number of pixels above the level
  std::int64_t above_half;  ///< number of pixels above half_way()

  SRCEXTRACT_HOST_DEVICE float half_way() const {
    return static_cast<float>((static_cast<double>(level) + static_cast<double>(peak)) / 2);
  }
};

/// Returns the area within an isophote divided by the area of a Gaussian with the same moments, at most 1 (SExtractor's
/// abcor). `a` and `b` are the RMS axes of the source in pixels. The difference of the two pixel counts measures how
/// steeply the profile falls.
SRCEXTRACT_HOST_DEVICE inline double area_correction(const IsophoteCounts& counts, double a, double b) {
  const float half_way = counts.half_way();
  if (!(half_way > 0)) return 1;
  const float ratio = counts.level / half_way;
  const double fall = portable_log(ratio < 1 ? static_cast<double>(ratio) : 0.99);
  const std::int64_t steeper = counts.above_half - counts.above;
  const double correction = static_cast<double>(steeper < 0 ? steeper : -1) / (2 * std::numbers::pi * fall * a * b);
  return correction < 1 ? correction : 1;
}

}  // namespace srcextract
