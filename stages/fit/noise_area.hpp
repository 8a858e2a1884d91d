#pragma once

#include <cstdint>

#include "stages/core/exec.hpp"
#include "stages/fit/gaussian.hpp"
#include "stages/fit/island.hpp"
#include "stages/settings/beams_at.hpp"

namespace srcextract {

/// Measures the area of the noise's autocorrelation, divided by the beam's area, from the correlation of pixels that
/// are one or two pixels apart along x, along y, or diagonally. Pixels in islands, and pixels within a beam's full
/// width of islands, are left out. Pixel values in units of the noise are rounded to multiples of 1/1024, so that all
/// sums are integers and do not depend on the order. Large maps are sampled, so that at most about a million pairs of
/// pixels are used for each distance. If `beams_at` is not empty, blocks of the map are compared with the beams at
/// their centres, and the result is the mean over the blocks. With too few pixels the result is 2, the value for white
/// noise convolved with the beam.
double measure_noise_area(const FitMap& map, const GaussianShape& beam, const BeamsAt& beams_at, const Cpu& where);

}  // namespace srcextract
