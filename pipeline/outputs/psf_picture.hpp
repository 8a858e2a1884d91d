#pragma once

#include <string>
#include <vector>

#include "stages/psf/make_psf.hpp"

namespace srcextract {

/// A picture of a PSF, as SVG: the model in nine places of the field, the mean of its stars and what the model leaves
/// of them, and where the stars are. The bytes follow from the arguments alone.
std::string psf_picture(const MadePsf& made, const std::vector<PsfStar>& stars, const std::string& name);

}  // namespace srcextract
