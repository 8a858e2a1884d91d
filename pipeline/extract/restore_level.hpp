#pragma once

#include "pipeline/extract/extract_image.hpp"

namespace srcextract {

/// Where the sky's level was given and subtracted: says in the extraction what it is, in one number, at every source
/// (BACKGROUND; at the brightest pixel if the central one has none) and, if a check image shows it, at every pixel, and
/// puts it back below the brightest pixels. A map is read once more, on the host. Throws what reading it throws.
void restore_level(const ImageInput& input, const Cpu& where, Extraction& extraction);

}  // namespace srcextract
