#pragma once

#include <string>
#include <vector>

#include "pipeline/extract/extract_image.hpp"

namespace srcextract {

/// What may be wrong with an image, or with what the configuration takes it to be: a sentence each, with the key to
/// change, for the log and run.json. A result is what it is with or without.
std::vector<std::string> image_warnings(const ImageInput& input, const ImageResult& result);

}  // namespace srcextract
