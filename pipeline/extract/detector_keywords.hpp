#pragma once

#include "pipeline/extract/extract_image.hpp"

namespace srcextract {

/// The level at which pixels of this image are saturated: measurement.saturation_keyword of its header, or else
/// measurement.saturation; 0: none, or nobody knows, and the log tells of a keyword that is missing. Throws
/// Error{input} if the keyword is there and is no number above 0.
double saturation_level(const ImageInput& input);

/// The same of the gain, in e-/count: measurement.gain_keyword, or else measurement.gain; 0, which the
/// header may say as well: no photon noise of sources, of which the log tells.
double detector_gain(const ImageInput& input);

}  // namespace srcextract
