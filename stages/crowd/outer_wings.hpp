#pragma once

#include <vector>

#include "stages/core/image.hpp"
#include "stages/crowd/crowd_psf.hpp"
#include "stages/crowd/crowd_stars.hpp"

namespace srcextract {

/// Removes new stars that may be light of known stars beyond the border of their PSF model. There the PSF is
/// extrapolated as a power of the distance, which is fitted inside the border. A new star stays if its flux is more
/// than twice the flux that such light would seem to have. `sigma` is the noise of a pixel.
void drop_outer_wings(const CrowdPsf& psf, const Shape& shape, const std::vector<CrowdStar>& known, double sigma,
                      std::vector<CrowdStar>& found);

}  // namespace srcextract
