#pragma once

#include <string>
#include <vector>

#include "pipeline/extract/extract_image.hpp"

namespace srcextract {

/// Adds warnings, in the form of image_warnings(), about what headers say of the image: SIP terms that programs read in
/// two ways, also those of the reference and of the detection image, and overscan that is still there.
void warn_of_header(const ImageInput& input, const Extraction& extraction, std::vector<std::string>& warnings);

}  // namespace srcextract
