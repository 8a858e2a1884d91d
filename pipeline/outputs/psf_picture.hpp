#pragma once

#include <string>
#include <vector>

#include "stages/psf/make_psf.hpp"

namespace srcextract {

/// Draws a PSF as SVG: the model at nine positions of the image, the mean of the stars, their mean residual, and the
/// stars' positions. Equal arguments give equal bytes.
std::string psf_picture(const MadePsf& made, const std::vector<PsfStar>& stars, const std::string& name);

}  // namespace srcextract
