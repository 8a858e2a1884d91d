#pragma once

#include <string>

#include "pipeline/chain/extraction.hpp"
#include "pipeline/extract/extract_image.hpp"

namespace srcextract {

/// Makes the text of the image's header for a FITS_LDAC catalogue (io/catalog/ldac_head.hpp). Adds the keywords of
/// SExtractor that PSFEx needs (SEXBKDEV, SEXGAIN), and other keywords of SExtractor that have the same meaning here.
std::string image_head(const ImageInput& input, const Extraction& extraction, const Config& config);

}  // namespace srcextract
