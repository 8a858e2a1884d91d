#pragma once

#include <string>

#include "pipeline/chain/extraction.hpp"
#include "pipeline/extract/extract_image.hpp"

namespace srcextract {

/// Makes the image's header for a FITS_LDAC catalogue (io/catalog/ldac_head.hpp), with keywords that SExtractor adds.
/// They are those that PSFEx needs, SEXBKDEV and SEXGAIN, and others that mean the same in this program. Empty unless
/// `config.output.formats` asks for such a catalogue.
std::string image_head(const ImageInput& input, const Extraction& extraction, const Config& config);

}  // namespace srcextract
