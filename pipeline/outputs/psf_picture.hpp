#pragma once

#include <string>
#include <vector>

#include "stages/psf/make_psf.hpp"

namespace srcextract {

/// Draws a PSF as SVG: the model at nine positions of the field, the mean of its stars, their mean residual, and the
/// stars' positions. The bytes follow from the arguments alone.
std::string psf_picture(const MadePsf& made, const std::vector<PsfStar>& stars, const std::string& name);

}  // namespace srcextract
