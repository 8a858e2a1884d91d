#pragma once

#include "stages/core/image.hpp"
#include "stages/core/value.hpp"
#include "stages/detect/noise_map.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/settings/detection.hpp"

namespace srcextract {

/// Returns the lowest threshold, in units of each pixel's noise, above which at most the fraction alpha of the pixels
/// is expected to be noise. It is the least z with N Q(z) <= n alpha / c:
/// - N is the number of pixels, n the number of pixels more than z times their noise above levels.zero_point;
/// - Q is the tail of a normal distribution;
/// - c = 1 + 1/2 + ... + 1/m with m = config.correlated_pixels, at least 1 (Benjamini & Hochberg 1995, J. R. Stat. Soc.
///   B 57, 289; Hopkins et al. 2002, AJ 123, 1086).
///
/// z is a multiple of 1/256 from 1 to 9 (stages/detect/false_discovery_rule.hpp), so counts of pixels suffice. The rule
/// also holds on such a grid (Storey, Taylor & Siegmund 2004, J. R. Stat. Soc. B 66, 187).
///
/// If no z fulfils this, the result is above all pixels. Masked pixels are not counted. `levels` must be those for a
/// threshold of 1; `noise` is as for find_runs.
Value<double, Cpu> false_discovery_threshold(const Image<float, Cpu>& image, const Value<Levels, Cpu>& levels,
                                             const NoiseMap<Cpu>& noise, const DetectionConfig& config,
                                             const Cpu& where);
Value<double, Gpu> false_discovery_threshold(const Image<float, Gpu>& image, const Value<Levels, Gpu>& levels,
                                             const NoiseMap<Gpu>& noise, const DetectionConfig& config,
                                             const Gpu& where);

/// Multiplies the distance of the levels from their zero point by `threshold`, so that levels for a threshold of 1
/// become levels for `threshold`.
void raise_levels(Value<Levels, Cpu>& levels, const Value<double, Cpu>& threshold, const Cpu& where);
void raise_levels(Value<Levels, Gpu>& levels, const Value<double, Gpu>& threshold, const Gpu& where);

}  // namespace srcextract
