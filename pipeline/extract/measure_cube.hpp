#pragma once

#include "pipeline/chain/extraction.hpp"
#include "pipeline/extract/extract_image.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// Measures the fitted Gaussians in the channels of Stokes I (if fit.channels) and in Stokes Q, U and V (if
/// fit.stokes). Adds the results to Extraction::fitted. Only one plane at a time is in memory.
///
/// Each plane has its own beam, sky level, noise and noise correlation. The sky is estimated with the settings of the
/// image; a sky level that the user gave is used only if it is 0. Planes without pixels, noise or a beam, and channels
/// with more than three times the median noise, are left out.
///
/// Q, U and V are those of the channel in which the Gaussians were fitted. If channels were combined for the fit, or if
/// the planes come from the file fit.cube, all channels of a polarisation are combined (combine_channels).
void measure_cube(const ImageInput& input, const Cpu& where, Extraction& extraction);

}  // namespace srcextract
