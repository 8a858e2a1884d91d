#pragma once

#include "pipeline/options/command_line.hpp"

namespace srcextract {

/// Parses the options of `srcextract psf`, which makes a PSF for each image and no catalogue. Throws Error{config} if
/// the arguments are invalid.
CommandLine parse_psf_options(int argc, const char* const* argv);

}  // namespace srcextract
