#pragma once

#include "stages/core/image.hpp"
#include "stages/core/value.hpp"
#include "stages/detect/threshold.hpp"

namespace srcextract {

/// The noise of what the matched filter has made of an image, in units of that which it has where the pixels are
/// independent (sigma_of_match of `levels`, those of the image): 1 there, and more where neighbours share their noise,
/// as in maps of a beam and in images that were resampled. It is what lies between the pixels that are one sigma from 0
/// and those that are two, of a normal distribution, on one side of 0: a sky that is a little off moves both alike. The
/// lower of both sides counts, so that sources are not in it, nor what is fainter than the sky where that is looked
/// for. What is less than a tenth above 1, or chance, is 1, so that nothing changes where pixels are independent
/// (stages/detect/filter_noise_rule.hpp). From counts of pixels, so that it is the same on any number of threads and on
/// a device.
Value<double, Cpu> filter_noise(const Image<float, Cpu>& match, const Value<Levels, Cpu>& levels, const Cpu& where);
Value<double, Gpu> filter_noise(const Image<float, Gpu>& match, const Value<Levels, Gpu>& levels, const Gpu& where);

}  // namespace srcextract
