#pragma once

#include "stages/measure/aperture_noise.hpp"
#include "stages/photometry/families.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

/// Scales the variances of fluxes by the noise law, for the number of pixels of the aperture:
/// - circle: its area;
/// - ellipse: the number of its pixels;
/// - Gaussian window of width s: 4 pi s^2, the pixels of a circle in which independent noise adds up to as much.
///
/// Photon noise is not scaled, and neither are the variances of positions.
void scale_noise(const NoiseLaw& law, const Settings& config, Photometry<Cpu>& photometry);

}  // namespace srcextract
