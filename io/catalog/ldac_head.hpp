#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/fits/header_values.hpp"

namespace srcextract {

/// A keyword with its value and comment, to be added to the header of an image.
struct HeadCard {
  HeaderValue value;
  std::string_view comment = {};
};

/// Returns the header of an image for a FITS_LDAC catalogue: 80-column cards from SIMPLE to END. The header has:
/// - all cards of `header`, the image's own header, except those of the file's layout;
/// - the cards that the image inherits from `primary`, the primary header;
/// - `added`, which replace cards of the same keyword.
///
/// The header of a cube gets NAXIS = 2, since sources are extracted from one plane. Bytes other than printable ASCII
/// become '?'.
std::string ldac_head(std::string_view header, std::string_view primary, const std::vector<HeadCard>& added);

}  // namespace srcextract
