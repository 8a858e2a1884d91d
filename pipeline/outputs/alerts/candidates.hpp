#pragma once

#include "pipeline/chain/extraction.hpp"
#include "pipeline/extract/extract_image.hpp"
#include "stages/catalogue/table.hpp"

namespace srcextract {

/// Makes the record `candidate` of the alerts of a difference, with a row for each catalogue row. Names and meanings
/// follow ZTF's alert schema 4.02. Columns that the schema lacks have the catalogue's names. An unknown number is NaN,
/// an unknown text is empty. `candid` is a hash of the name of the image's file, HDU, plane, date, brightest pixel and
/// SIGN. Therefore `candid` does not depend on the machine and the directory.
Table alert_candidates(const ImageInput& input, const Extraction& extraction);

}  // namespace srcextract
