#pragma once

#include "config/config.hpp"
#include "stages/measure/aperture_noise.hpp"
#include "stages/photometry/families.hpp"

namespace srcextract {

/// Makes the variances of fluxes those that the law tells of sums over so many pixels: of a circle its area, of an
/// ellipse the number of its pixels, and of a Gaussian window of width s the 4 pi s^2 pixels of a circle in which
/// independent noise adds up to as much. Photons are counted beside them, and those of positions are left as they are.
void scale_noise(const NoiseLaw& law, const Config& config, Photometry<Cpu>& photometry);

}  // namespace srcextract
