#pragma once

#include "pipeline/chain/extraction.hpp"
#include "pipeline/extract/extract_image.hpp"
#include "stages/detect/no_sky.hpp"

namespace srcextract {

/// SExtractor's result for an image that shows no sky: no sources, and check images of the assumed sky, or of the given
/// level. Throws Error{input} if the image cannot be read.
Extraction extraction_without_sky(const ImageInput& input, const AssumedSky& sky, const Cpu& where);

}  // namespace srcextract
