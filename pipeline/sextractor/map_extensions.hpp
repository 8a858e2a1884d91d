#pragma once

#include <vector>

#include "sextractor/text_file.hpp"
#include "sextractor/translation.hpp"

namespace srcextract {

/// Gives the files of WEIGHT_IMAGE and FLAG_IMAGE, where they count, the HDU that SExtractor takes. Where the first
/// image is an extension, FILE[2], a map is what stands between its brackets, and without them the first extension that
/// is an image, if there is one; elsewhere SExtractor passes over brackets, and takes maps in the order of their file:
/// they are an Error{config} with what to type.
void settle_map_extensions(const std::vector<sextractor::NamedImage>& images, sextractor::Request& request);

}  // namespace srcextract
