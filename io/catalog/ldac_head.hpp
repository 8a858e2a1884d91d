#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/fits/header_values.hpp"

namespace srcextract {

/// A keyword added to the header of an image, with its comment.
struct HeadCard {
  HeaderValue value;
  std::string_view comment = {};
};

/// Returns the header of an image for a FITS_LDAC catalogue: 80-column cards from SIMPLE to END. Contents:
/// - all cards of `header`, the image's own, except its file layout;
/// - cards of `primary`, the primary header, that the image inherits (header_values());
/// - `added`, which replace cards of the same keyword.
/// The header of a cube gets NAXIS = 2, since the catalogue is of one plane. Non-ASCII bytes become '?'.
std::string ldac_head(std::string_view header, std::string_view primary, const std::vector<HeadCard>& added);

}  // namespace srcextract
