#pragma once

#include "stages/measure/aperture_noise.hpp"
#include "stages/photometry/families.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

/// Multiplies the variances of fluxes by the factor of the noise law for an aperture's number of pixels, which is
/// - for a circle, its area;
/// - for an ellipse, the number of its pixels;
/// - for a Gaussian window of width s, 4 pi s^2, the area of a circle in which independent noise adds up to as much.
///
/// Photon noise is not scaled, and neither are the variances of positions.
void scale_noise(const NoiseLaw& law, const Settings& config, Photometry<Cpu>& photometry);

}  // namespace srcextract
