#pragma once

#include "stages/core/image.hpp"
#include "stages/core/value.hpp"
#include "stages/detect/noise_map.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/settings/detection.hpp"

namespace srcextract {

/// Returns the lowest threshold, in units of each pixel's noise, for which at most the fraction alpha
/// (config.false_discovery_rate) of the pixels above the threshold is expected to be noise. The threshold is the least
/// z with N Q(z) <= n alpha / c:
/// - N is the number of unmasked pixels, and n the number of pixels that exceed levels.zero_point by more than z times
///   their noise;
/// - Q(z) is the probability that a normal variable exceeds its mean by more than z sigma;
/// - c = 1 + 1/2 + ... + 1/m with m = config.correlated_pixels, at least 1 (Benjamini & Hochberg 1995, J. R. Stat. Soc.
///   B 57, 289; Hopkins et al. 2002, AJ 123, 1086).
///
/// Only multiples of 1/256 from 1 to less than 9 are tried for z, so it suffices to count pixels in bins
/// (stages/detect/false_discovery_rule.hpp). The rule remains valid on this grid (Storey, Taylor & Siegmund 2004, J. R.
/// Stat. Soc. B 66, 187).
///
/// If no z with n > 0 fulfils the condition, the result is a threshold above all pixels. `levels` must be for a
/// threshold of 1.
Value<double, Cpu> false_discovery_threshold(const Image<float, Cpu>& image, const Value<Levels, Cpu>& levels,
                                             const NoiseMap<Cpu>& noise, const DetectionConfig& config,
                                             const Cpu& where);
Value<double, Gpu> false_discovery_threshold(const Image<float, Gpu>& image, const Value<Levels, Gpu>& levels,
                                             const NoiseMap<Gpu>& noise, const DetectionConfig& config,
                                             const Gpu& where);

/// Changes levels for a threshold of 1 to levels for `threshold`: multiplies the distance of the detection level from
/// the zero point. The analysis level does not change.
void raise_levels(Value<Levels, Cpu>& levels, const Value<double, Cpu>& threshold, const Cpu& where);
void raise_levels(Value<Levels, Gpu>& levels, const Value<double, Gpu>& threshold, const Gpu& where);

}  // namespace srcextract
