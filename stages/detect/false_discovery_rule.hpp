#pragma once

#include <cmath>
#include <cstdint>

#include "stages/detect/noise_map.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/math/exact_math.hpp"
#include "stages/settings/detection.hpp"

namespace srcextract {

/// Pixels are counted by their significance (value above levels.zero_point, in units of their noise) in bins of 1/256
/// from 1 to 9. Bin k holds the pixels above edge k and not above edge k + 1; the last bin has no upper edge. Sums of
/// integer counts do not depend on their order.
inline constexpr int significance_bins = 2048;
inline constexpr double bins_per_sigma = 256;
inline constexpr double least_significance = 1;

SRCEXTRACT_HOST_DEVICE inline double significance_edge(int bin) {
  return least_significance + bin / bins_per_sigma;
}

/// The pixel value of one noise unit, from the levels for a threshold of 1: the same for all pixels (unit), or for a
/// pixel with the noise `rms` (unit_above_noise).
SRCEXTRACT_HOST_DEVICE inline double unit(const Levels& levels) {
  return levels.detection - levels.zero_point;
}
SRCEXTRACT_HOST_DEVICE inline double unit_above_noise(const Levels& levels, float rms) {
  return levels.in_noise * scaled_noise(levels, rms);
}

/// Bin numbers of pixels that are in no bin: faint pixels, which are the most, and masked pixels.
inline constexpr int faint_bin = -1, masked_bin = -2;

/// The bin of a pixel.
SRCEXTRACT_HOST_DEVICE inline int significance_bin(float pixel, const Levels& levels, double unit) {
  const double place = ((static_cast<double>(pixel) - levels.zero_point) / unit - least_significance) * bins_per_sigma;
  if (!(place == place)) return masked_bin;
  if (!(place > 0)) return faint_bin;
  return place > significance_bins - 1 ? significance_bins - 1 : static_cast<int>(std::ceil(place)) - 1;
}

/// The factor alpha / c in the rule, where c = 1 + 1/2 + ... + 1/n for n correlated pixels.
double false_discovery_share(const DetectionConfig& config);

/// Whether the lower edge of `bin` fulfils the rule of Benjamini and Hochberg (1995): noise alone is expected to give
/// at most `share` times as many pixels above this edge as there are, `above`. If `above` is 0, 1 is used, so that the
/// threshold exceeds all pixels.
SRCEXTRACT_HOST_DEVICE inline bool keeps_share(int bin, std::int64_t above, std::int64_t pixels, double share) {
  const double expected = static_cast<double>(pixels) * portable_normal_tail(significance_edge(bin));
  return expected <= share * static_cast<double>(above > 0 ? above : 1);
}

/// Multiplies the distance of the levels from their zero point by `threshold`, so that levels for a threshold of 1
/// become levels for `threshold`.
SRCEXTRACT_HOST_DEVICE inline void raise(Levels& levels, double threshold) {
  if (threshold == 1) return;  // so that the levels stay equal to the last bit
  levels.detection = levels.zero_point + threshold * (levels.detection - levels.zero_point);
  levels.in_noise *= threshold;
}

}  // namespace srcextract
