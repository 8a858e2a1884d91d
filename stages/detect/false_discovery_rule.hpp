#pragma once

#include <cmath>
#include <cstdint>

#include "config/settings/detection.hpp"
#include "stages/detect/noise_map.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {

/// Pixels are counted by how far above the reference they are, in units of their noise, in bins of 1/256 from 1 to 9:
/// bin k has those that are above edge k and not above the next one, the last bin all that are above its edge. Counts
/// are integers, whose sums do not depend on an order.
inline constexpr int significance_bins = 2048;
inline constexpr double bins_per_sigma = 256;
inline constexpr double least_significance = 1;

SRCEXTRACT_HOST_DEVICE inline double significance_edge(int bin) {
  return least_significance + bin / bins_per_sigma;
}

/// What a threshold of 1, whose levels these are, means for all pixels, or for one of that noise.
SRCEXTRACT_HOST_DEVICE inline double unit(const Levels& levels) {
  return levels.detection - levels.zero_point;
}
SRCEXTRACT_HOST_DEVICE inline double unit_above_noise(const Levels& levels, float rms) {
  return levels.in_noise * scaled_noise(levels, rms);
}

/// Of pixels that are in no bin: those that are too faint, which are most, and those that are masked.
inline constexpr int faint_bin = -1, masked_bin = -2;

/// The bin of a pixel.
SRCEXTRACT_HOST_DEVICE inline int significance_bin(float pixel, const Levels& levels, double unit) {
  const double place = ((static_cast<double>(pixel) - levels.zero_point) / unit - least_significance) * bins_per_sigma;
  if (!(place == place)) return masked_bin;
  if (!(place > 0)) return faint_bin;
  return place > significance_bins - 1 ? significance_bins - 1 : static_cast<int>(std::ceil(place)) - 1;
}

/// What the rule is applied with: alpha, divided by 1 + 1/2 + ... + 1/n for n correlated pixels.
double false_discovery_share(const DetectionConfig& config);

/// The rule of Benjamini and Hochberg (1995) at one edge: so few of that many pixels are expected above it in noise
/// alone that they are at most `share` of the `above` that there are. Where no pixel is, as if one were: then none is
/// above the threshold.
SRCEXTRACT_HOST_DEVICE inline bool keeps_share(int bin, std::int64_t above, std::int64_t pixels, double share) {
  const double expected = static_cast<double>(pixels) * portable_normal_tail(significance_edge(bin));
  return expected <= share * static_cast<double>(above > 0 ? above : 1);
}

/// Levels rise above their zero point by a factor: those of a threshold of 1 become those of another one.
SRCEXTRACT_HOST_DEVICE inline void raise(Levels& levels, double threshold) {
  if (threshold == 1) return;  // to the last bit
  levels.detection = levels.zero_point + threshold * (levels.detection - levels.zero_point);
  levels.in_noise *= threshold;
}

}  // namespace srcextract
