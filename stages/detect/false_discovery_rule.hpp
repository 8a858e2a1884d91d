#pragma once

#include <cmath>
#include <cstdint>

#include "stages/detect/noise_map.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/math/exact_math.hpp"
#include "stages/settings/detection.hpp"

namespace srcextract {

/// Pixels are counted by their height above the reference, in units of their noise, in bins of 1/256 from 1 to 9. Bin k
/// holds the pixels above edge k and not above the next edge; the last bin holds all above its edge. Sums of integer
/// counts do not depend on their order.
inline constexpr int significance_bins = 2048;
inline constexpr double bins_per_sigma = 256;
inline constexpr double least_significance = 1;

SRCEXTRACT_HOST_DEVICE inline double significance_edge(int bin) {
  return least_significance + bin / bins_per_sigma;
}

/// The pixel value of one noise unit, from the levels of a threshold of 1: for all pixels (unit), or for one of this
/// noise (unit_above_noise).
SRCEXTRACT_HOST_DEVICE inline double unit(const Levels& levels) {
  return levels.detection - levels.zero_point;
}
SRCEXTRACT_HOST_DEVICE inline double unit_above_noise(const Levels& levels, float rms) {
  return levels.in_noise * scaled_noise(levels, rms);
}

/// The bins of pixels that are not counted: pixels that are too faint, which are most, and masked pixels.
inline constexpr int faint_bin = -1, masked_bin = -2;

/// The bin of a pixel.
SRCEXTRACT_HOST_DEVICE inline int significance_bin(float pixel, const Levels& levels, double unit) {
  const double place = ((static_cast<double>(pixel) - levels.zero_point) / unit - least_significance) * bins_per_sigma;
  if (!(place == place)) return masked_bin;
  if (!(place > 0)) return faint_bin;
  return place > significance_bins - 1 ? significance_bins - 1 : static_cast<int>(std::ceil(place)) - 1;
}

/// The share in the rule: alpha, divided by 1 + 1/2 + ... + 1/n for n correlated pixels.
double false_discovery_share(const DetectionConfig& config);

/// The rule of Benjamini and Hochberg (1995) at one edge. True if the number of pixels expected above the edge from
/// noise alone is at most `share` of the `above` that there are. If no pixel is above, one is assumed, so that the
/// threshold exceeds all pixels.
SRCEXTRACT_HOST_DEVICE inline bool keeps_share(int bin, std::int64_t above, std::int64_t pixels, double share) {
  const double expected = static_cast<double>(pixels) * portable_normal_tail(significance_edge(bin));
  return expected <= share * static_cast<double>(above > 0 ? above : 1);
}

/// Multiplies the levels' height above their zero point: levels of a threshold of 1 become those of `threshold`.
SRCEXTRACT_HOST_DEVICE inline void raise(Levels& levels, double threshold) {
  if (threshold == 1) return;  // keeps the levels equal to the last bit
  levels.detection = levels.zero_point + threshold * (levels.detection - levels.zero_point);
  levels.in_noise *= threshold;
}

}  // namespace srcextract
