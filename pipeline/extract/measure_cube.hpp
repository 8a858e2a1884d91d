#pragma once

#include "pipeline/chain/extraction.hpp"
#include "pipeline/extract/extract_image.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// Measures the Gaussians of an extraction in the channels of Stokes I (fit.channels) and in Stokes Q, U, V
/// (fit.stokes), and adds these planes to Extraction::fitted. One plane at a time is in memory.
///
/// A plane has its own beam, level, noise and correlation. Its sky is estimated as that of the image; a given level
/// counts if it is 0. Planes without pixels or a beam, and channels with three times the median noise, are left out.
///
/// Q, U and V are those of the channel in which the Gaussians were fitted. If channels were combined, or if the planes
/// are of fit.cube, all channels of a polarisation are combined as combine_channels does.
void measure_cube(const ImageInput& input, const Cpu& where, Extraction& extraction);

}  // namespace srcextract
