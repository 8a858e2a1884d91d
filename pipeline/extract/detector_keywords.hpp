#pragma once

#include "pipeline/extract/extract_image.hpp"

namespace srcextract {

/// Saturation level of this image's pixels: the value of the header keyword measurement.saturation_keyword, else
/// measurement.saturation. 0: none or unknown. A missing keyword is logged. Throws Error{input} if the keyword is not a
/// number above 0.
double saturation_level(const ImageInput& input);

/// Gain in e-/count: the value of the header keyword measurement.gain_keyword, else measurement.gain. 0, which the
/// header may also say, means no photon noise of sources; that is logged.
double detector_gain(const ImageInput& input);

}  // namespace srcextract
