#pragma once

#include <cstdint>

#include "stages/core/exec.hpp"
#include "stages/fit/gaussian.hpp"
#include "stages/fit/island.hpp"

namespace srcextract {

/// The area of the noise's autocorrelation in units of the beam's, from the correlation of pixels that are one or two
/// pixels apart, outside of islands and a beam around them. Their values in units of the noise are rounded to
/// 1/1024, so that all sums are integers. At most some million pairs are looked at for each distance. 2, that of white
/// noise seen through the beam, if there are too few pixels.
double measure_noise_area(const FitMap& map, const GaussianShape& beam, const Cpu& where);

}  // namespace srcextract
