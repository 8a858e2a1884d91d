#pragma once

#include <string>

#include "pipeline/chain/extraction.hpp"
#include "pipeline/extract/extract_image.hpp"

namespace srcextract {

/// The header of the image for a FITS_LDAC catalogue (io/catalog/ldac_head.hpp), with the keywords that SExtractor adds
/// to it: what PSFEx needs, SEXBKDEV and SEXGAIN, and what else of those means the same here. Empty where
/// `config.output.formats` does not ask for such a catalogue.
std::string image_head(const ImageInput& input, const Extraction& extraction, const Config& config);

}  // namespace srcextract
