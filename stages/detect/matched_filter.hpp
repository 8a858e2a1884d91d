#pragma once

#include "stages/convolve/kernel.hpp"
#include "stages/core/image.hpp"
#include "stages/core/value.hpp"
#include "stages/detect/noise_map.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// Computes the matched filter S of an image with the kernel k. With d the value of a pixel minus the sky (the clipped
/// median) and s the noise of the pixel,
///   S = sigma (sum of k d / s^2) / sqrt(sum of k^2 / s^2),
/// where sums are over the unmasked pixels under the kernel (Turin 1960; Zackay & Ofek 2017, ApJ 836, 187; SEP's
/// filter_type "matched"). sigma is levels.sigma, or 1 if levels.sigma is 0. If d is only noise, independent from pixel
/// to pixel, S has the noise sigma everywhere, even if pixels have different noise. Pixels with a noise of 0 are left
/// out of the sums. Masked pixels stay masked. A pixel becomes masked if all pixels under the kernel are left out.
///
/// Rounding:
/// - w = 1 / (s / sigma)^2 is computed in double and rounded once to float; w d is computed in float.
/// - The sums are convolutions, as by convolve() without a sky: of w d with k, and of w with k^2.
/// - S is the first sum divided by the square root of the second, computed in float.
///
/// On the host the kernel may have any size, as for convolve_by_any().
Image<float, Cpu> matched_filter(const Image<float, Cpu>& image, const Kernel& kernel,
                                 const Value<Background, Cpu>& sky, const Value<Levels, Cpu>& levels,
                                 const NoiseMap<Cpu>& noise, const Cpu& where);
Image<float, Gpu> matched_filter(const Image<float, Gpu>& image, const Kernel& kernel,
                                 const Value<Background, Gpu>& sky, const Value<Levels, Gpu>& levels,
                                 const NoiseMap<Gpu>& noise, const Gpu& where);

/// Returns the levels for finding sources in S. The detection threshold is the same multiple of the noise as in
/// `levels`, but the noise is sigma and the zero point is 0. The analysis threshold does not change.
Value<Levels, Cpu> levels_of_match(const Value<Levels, Cpu>& levels, const Cpu& where);
Value<Levels, Gpu> levels_of_match(const Value<Levels, Gpu>& levels, const Gpu& where);

}  // namespace srcextract
