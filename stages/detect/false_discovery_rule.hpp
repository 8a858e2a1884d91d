#pragma once

#include <cmath>
#include <cstdint>

#include "stages/detect/noise_map.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/math/exact_math.hpp"
#include "stages/settings/detection.hpp"

namespace srcextract {

/// Pixels are counted in bins by their significance: (value - levels.zero_point) / noise. The lower edge of bin k,
/// counted from 0, is 1 + k / 256. Bin k holds the pixels above its lower edge and not above the next edge. The last
/// bin has no upper edge.
inline constexpr int significance_bins = 2048;
inline constexpr double bins_per_sigma = 256;
inline constexpr double least_significance = 1;

SRCEXTRACT_HOST_DEVICE inline double significance_edge(int bin) {
  return least_significance + bin / bins_per_sigma;
}

/// The noise in pixel values. `levels` must be for a threshold of 1. unit() is for images in which all pixels have the
/// same noise. unit_above_noise() is for a pixel whose rms, before multiplication by levels.noise_scale, is `rms`.
SRCEXTRACT_HOST_DEVICE inline double unit(const Levels& levels) {
  return levels.detection - levels.zero_point;
}
SRCEXTRACT_HOST_DEVICE inline double unit_above_noise(const Levels& levels, float rms) {
  return levels.in_noise * scaled_noise(levels, rms);
}

/// Results of significance_bin() for pixels that are in no bin: pixels not above the first bin's lower edge, and pixels
/// that are masked or whose noise is NaN.
inline constexpr int faint_bin = -1, masked_bin = -2;

/// Returns the bin of a pixel. `unit` is the pixel's noise in pixel values.
SRCEXTRACT_HOST_DEVICE inline int significance_bin(float pixel, const Levels& levels, double unit) {
  const double place = ((static_cast<double>(pixel) - levels.zero_point) / unit - least_significance) * bins_per_sigma;
  if (!(place == place)) return masked_bin;
  if (!(place > 0)) return faint_bin;
  return place > significance_bins - 1 ? significance_bins - 1 : static_cast<int>(std::ceil(place)) - 1;
}

/// Returns alpha / c, a factor in the rule of false_discovery_threshold(). alpha is the configured false discovery
/// rate, and c = 1 + 1/2 + ... + 1/n for n correlated pixels.
double false_discovery_share(const DetectionConfig& config);

/// Whether the lower edge of `bin` fulfils the rule of Benjamini and Hochberg (1995): among `pixels` pixels of noise
/// alone, the expected number above the edge is at most `share` times `above`. `above` is the number of pixels that the
/// image has above the edge. If `above` is 0, the rule uses 1, so that an edge above all pixels can fulfil it.
SRCEXTRACT_HOST_DEVICE inline bool keeps_share(int bin, std::int64_t above, std::int64_t pixels, double share) {
  const double expected = static_cast<double>(pixels) * portable_normal_tail(significance_edge(bin));
  return expected <= share * static_cast<double>(above > 0 ? above : 1);
}

/// Changes levels for a threshold of 1 to levels for `threshold`: multiplies the distance of the detection level from
/// the zero point. The analysis level does not change.
SRCEXTRACT_HOST_DEVICE inline void raise(Levels& levels, double threshold) {
  if (threshold == 1) return;  // avoids a change by rounding
  levels.detection = levels.zero_point + threshold * (levels.detection - levels.zero_point);
  levels.in_noise *= threshold;
}

}  // namespace srcextract
