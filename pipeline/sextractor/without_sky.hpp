#pragma once

#include "pipeline/chain/extraction.hpp"
#include "pipeline/extract/extract_image.hpp"
#include "stages/detect/no_sky.hpp"

namespace srcextract {

/// What SExtractor makes of an image that shows no sky: no sources, and check images of this sky, or the level
/// that was given. Throws Error{input} if the image cannot be read.
Extraction extraction_without_sky(const ImageInput& input, const AssumedSky& sky, const Cpu& where);

}  // namespace srcextract
