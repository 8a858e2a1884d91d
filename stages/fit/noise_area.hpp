#pragma once

#include <cstdint>

#include "stages/core/exec.hpp"
#include "stages/fit/gaussian.hpp"
#include "stages/fit/island.hpp"

namespace srcextract {

/// Measures the area of the noise's autocorrelation, divided by the beam's area, from the correlation of pixels one or
/// two pixels apart. Pixels in islands, and within a beam of them, are left out. Values in units of the noise are
/// rounded to 1/1024, so that all sums are integers. About a million pairs at most are used for each lag. With too few
/// pixels the result is 2, that of white noise convolved with the beam.
double measure_noise_area(const FitMap& map, const GaussianShape& beam, const Cpu& where);

}  // namespace srcextract
