#pragma once

#include "pipeline/chain/extraction.hpp"
#include "pipeline/extract/extract_image.hpp"
#include "stages/catalogue/table.hpp"

namespace srcextract {

/// The record `candidate` of the alerts of a difference, a row for each row of the catalogue: names and meanings of
/// ZTF's alert schema 4.02 where that has them, those of the catalogue for others. A number that is not known is NaN,
/// and such a text is empty. `candid` is a hash of the name of the image's file, its HDU, plane and date, the brightest
/// pixel and SIGN: the same wherever the image is extracted.
Table alert_candidates(const ImageInput& input, const Extraction& extraction);

}  // namespace srcextract
