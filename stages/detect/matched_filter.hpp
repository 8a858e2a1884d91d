#pragma once

#include "stages/convolve/kernel.hpp"
#include "stages/core/image.hpp"
#include "stages/core/value.hpp"
#include "stages/detect/noise_map.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// The matched filter of a kernel k, times the noise of a pixel of the sky: with d what a pixel has above the sky (the
/// clipped median) and s its noise,
///   S = sigma (sum of k d / s^2) / sqrt(sum of k^2 / s^2), sigma = levels.sigma or 1,
/// over the pixels under the kernel that are there and not masked (Turin 1960; Zackay & Ofek 2017, ApJ 836, 187; SEP's
/// filter_type "matched"). Where d is noise alone S has the noise sigma, whatever the noise of the pixels is. Masked
/// pixels stay masked, and so does a pixel for which no pixel tells anything; pixels without noise tell nothing.
///
/// How it is rounded: w = 1 / (s / sigma)^2 in double and once to float, w d in float; both sums are those of
/// convolve() without a sky, of w d with k and of w with k^2, and S = the first over the root of the second, in float.
/// On the host the kernel may have any size, as for convolve_by_any().
Image<float, Cpu> matched_filter(const Image<float, Cpu>& image, const Kernel& kernel,
                                 const Value<Background, Cpu>& sky, const Value<Levels, Cpu>& levels,
                                 const NoiseMap<Cpu>& noise, const Cpu& where);
Image<float, Gpu> matched_filter(const Image<float, Gpu>& image, const Kernel& kernel,
                                 const Value<Background, Gpu>& sky, const Value<Levels, Gpu>& levels,
                                 const NoiseMap<Gpu>& noise, const Gpu& where);

/// The levels by which pixels of S are found, where `levels` are those of the image, in sigma.
Value<Levels, Cpu> levels_of_match(const Value<Levels, Cpu>& levels, const Cpu& where);
Value<Levels, Gpu> levels_of_match(const Value<Levels, Gpu>& levels, const Gpu& where);

}  // namespace srcextract
