#pragma once

#include "stages/convolve/kernel.hpp"
#include "stages/core/image.hpp"
#include "stages/core/value.hpp"
#include "stages/detect/noise_map.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// Computes the matched filter S of an image for the kernel k, scaled to the noise of a sky pixel. With d a pixel's
/// value above the sky (the clipped median) and s its noise,
///   S = sigma (sum of k d / s^2) / sqrt(sum of k^2 / s^2), sigma = levels.sigma or 1,
/// where sums are over the unmasked pixels under the kernel (Turin 1960; Zackay & Ofek 2017, ApJ 836, 187; SEP's
/// filter_type "matched"). If d is only noise, S has the noise sigma, whatever the noise of the
/// pixels. Pixels with a noise of 0 are left out. Masked pixels stay masked, and a pixel without any contribution
/// becomes masked.
///
/// Rounding:
/// - w = 1 / (s / sigma)^2 in double and once to float, w d in float.
/// - Both sums are computed as by convolve() without a sky: w d with k, and w with k^2.
/// - S is the first sum divided by the root of the second, in float.
///
/// On the host the kernel may have any size, as for convolve_by_any().
Image<float, Cpu> matched_filter(const Image<float, Cpu>& image, const Kernel& kernel,
                                 const Value<Background, Cpu>& sky, const Value<Levels, Cpu>& levels,
                                 const NoiseMap<Cpu>& noise, const Cpu& where);
Image<float, Gpu> matched_filter(const Image<float, Gpu>& image, const Kernel& kernel,
                                 const Value<Background, Gpu>& sky, const Value<Levels, Gpu>& levels,
                                 const NoiseMap<Gpu>& noise, const Gpu& where);

/// Returns the levels for finding sources in S: the thresholds of `levels` in units of sigma, from 0.
Value<Levels, Cpu> levels_of_match(const Value<Levels, Cpu>& levels, const Cpu& where);
Value<Levels, Gpu> levels_of_match(const Value<Levels, Gpu>& levels, const Gpu& where);

}  // namespace srcextract
