#pragma once

#include "stages/measure/aperture_noise.hpp"
#include "stages/photometry/families.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

/// Multiplies the variances of fluxes by law.variance_factor(N), where N is the number of pixels in the aperture:
/// - for a circle, its area;
/// - for an ellipse, the number of its pixels;
/// - for a Gaussian window of width s, 4 pi s^2: a circle of this area has the same noise as the window, if pixels are
///   independent;
/// - for a PSF, the square of its sum over the sum of its squares.
///
/// The variances of positions are not multiplied, nor is photon noise, unless the pixels' variances contain it.
void scale_noise(const NoiseLaw& law, const Settings& config, Photometry<Cpu>& photometry);

}  // namespace srcextract
