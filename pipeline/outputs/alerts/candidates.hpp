#pragma once

#include "pipeline/chain/extraction.hpp"
#include "pipeline/extract/extract_image.hpp"
#include "stages/catalogue/table.hpp"

namespace srcextract {

/// Makes the record `candidate` of the alerts of a difference, with a row for each catalogue row. Names and meanings
/// are those of ZTF's alert schema 4.02 where it has them, otherwise the catalogue's. An unknown number is NaN, an
/// unknown text is empty. `candid` is a hash of the name of the image's file, its HDU, plane and date, the brightest
/// pixel and SIGN: the same wherever the image is extracted.
Table alert_candidates(const ImageInput& input, const Extraction& extraction);

}  // namespace srcextract
