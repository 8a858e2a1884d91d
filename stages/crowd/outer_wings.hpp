#pragma once

#include <vector>

#include "stages/core/image.hpp"
#include "stages/crowd/crowd_psf.hpp"
#include "stages/crowd/crowd_stars.hpp"

namespace srcextract {

/// Drops new stars that may be light of known ones beyond the end of their PSF. The wing there goes on as a power of
/// the distance, as it does inside. A new star stays if it is more than twice as bright as the wing would make it.
/// `sigma` is the noise of a pixel. The answer depends on nothing but the arguments.
void drop_outer_wings(const CrowdPsf& psf, const Shape& shape, const std::vector<CrowdStar>& known, double sigma,
                      std::vector<CrowdStar>& found);

}  // namespace srcextract
