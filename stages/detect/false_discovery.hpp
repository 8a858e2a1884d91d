#pragma once

#include "config/settings/detection.hpp"
#include "stages/core/image.hpp"
#include "stages/core/value.hpp"
#include "stages/detect/noise_map.hpp"
#include "stages/detect/threshold.hpp"

namespace srcextract {

/// The lowest threshold, in units of the noise of each pixel, that controls the share of false discoveries among the
/// pixels above it: with N pixels, and n of them more than z times their noise above levels.zero_point, the least z for
/// which N Q(z) <= n alpha / c, where Q is the tail of a normal distribution, and c = 1 + 1/2 + ... + 1/m of m =
/// config.correlated_pixels (Benjamini & Hochberg 1995, J. R. Stat. Soc. B 57, 289; Hopkins et al. 2002, AJ 123, 1086).
/// z is a multiple of 1/256 from 1 to 9 (stages/detect/false_discovery_rule.hpp), so that counts of pixels suffice; at
/// given thresholds the rule controls the share as at any (Storey, Taylor & Siegmund 2004, J. R. Stat. Soc. B 66, 187).
/// Where not one pixel passes, nothing is above z. Masked pixels are not counted. `levels` are those of a threshold of
/// 1; the noise is that which find_runs has of the same arguments.
Value<double, Cpu> false_discovery_threshold(const Image<float, Cpu>& image, const Value<Levels, Cpu>& levels,
                                             const NoiseMap<Cpu>& noise, const DetectionConfig& config,
                                             const Cpu& where);
Value<double, Gpu> false_discovery_threshold(const Image<float, Gpu>& image, const Value<Levels, Gpu>& levels,
                                             const NoiseMap<Gpu>& noise, const DetectionConfig& config,
                                             const Gpu& where);

/// Levels rise above their zero point by a factor: those of a threshold of 1 become those of another one.
void raise_levels(Value<Levels, Cpu>& levels, const Value<double, Cpu>& threshold, const Cpu& where);
void raise_levels(Value<Levels, Gpu>& levels, const Value<double, Gpu>& threshold, const Gpu& where);

}  // namespace srcextract
