#pragma once

#include "stages/core/image.hpp"
#include "stages/core/value.hpp"
#include "stages/detect/threshold.hpp"

namespace srcextract {

/// Measures the noise of a matched-filtered image, divided by the noise that it would have if pixels were independent
/// (sigma_of_match(levels)). The result is 1 for independent pixels, and larger if neighbours share their noise, as in
/// beam maps and resampled images.
///
/// On either side of 0, two depths are measured: those beyond which as many pixels lie as beyond one and two sigma of a
/// normal distribution. Their distance is the noise. A slightly wrong sky moves both depths alike. The lower noise of
/// the two sides counts, so that neither sources nor dips below the sky raise it.
///
/// A value less than a tenth above 1, or explained by chance, becomes 1, so that nothing changes for independent pixels
/// (stages/detect/filter_noise_rule.hpp). The result comes from counts of pixels, so any number of threads or a device
/// gives the same.
Value<double, Cpu> filter_noise(const Image<float, Cpu>& match, const Value<Levels, Cpu>& levels, const Cpu& where);
Value<double, Gpu> filter_noise(const Image<float, Gpu>& match, const Value<Levels, Gpu>& levels, const Gpu& where);

}  // namespace srcextract
