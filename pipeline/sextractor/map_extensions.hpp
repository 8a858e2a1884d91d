#pragma once

#include <vector>

#include "sextractor/text_file.hpp"
#include "sextractor/translation.hpp"

namespace srcextract {

/// Sets the HDU of the files of WEIGHT_IMAGE and FLAG_IMAGE, where they count, as SExtractor would. If the first image
/// is an extension, FILE[2], a map is the extension in its brackets. Without brackets it is the first extension that is
/// an image, if any. If the first image is no extension, SExtractor ignores brackets and takes maps in file order.
/// Brackets are then an Error{config} that says what to type.
void settle_map_extensions(const std::vector<sextractor::NamedImage>& images, sextractor::Request& request);

}  // namespace srcextract
