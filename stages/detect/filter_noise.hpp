#pragma once

#include "stages/core/image.hpp"
#include "stages/core/value.hpp"
#include "stages/detect/threshold.hpp"

namespace srcextract {

/// Measures the noise of a matched-filtered image. Returns this noise divided by sigma_of_match(levels), the noise that
/// the image would have if the noise of pixels were independent. The result is 1 for independent pixels, and larger if
/// neighbours share their noise, as in beam maps and resampled images.
///
/// Two distances from 0 are measured on either side of 0. The fractions of the side's pixels beyond these distances are
/// those of a normal distribution beyond 1 sigma and beyond 2 sigma. The difference of the two distances is the noise
/// of this side. A small error of the sky changes both distances by the same amount, so their difference is not
/// affected. The result is the lower noise of the two sides, so that neither sources nor dips below the sky raise it.
///
/// A result that is below 1.1, or that chance can explain, is replaced by 1, so that images of independent pixels are
/// not affected (stages/detect/filter_noise_rule.hpp). The result depends only on counts of pixels, so it does not
/// change with the number of threads or between host and device.
Value<double, Cpu> filter_noise(const Image<float, Cpu>& match, const Value<Levels, Cpu>& levels, const Cpu& where);
Value<double, Gpu> filter_noise(const Image<float, Gpu>& match, const Value<Levels, Gpu>& levels, const Gpu& where);

}  // namespace srcextract
