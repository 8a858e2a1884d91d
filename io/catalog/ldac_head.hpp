#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/fits/header_values.hpp"

namespace srcextract {

/// A keyword that is added to the header of an image, with what is said of it.
struct HeadCard {
  HeaderValue value;
  std::string_view comment = {};
};

/// The header of an image as a FITS_LDAC catalogue holds it: 80-column cards, SIMPLE the first of them, and END the
/// last. All cards of `header`, that of the image or of its HDU, are in it; of `primary`, that of the primary HDU,
/// those of keywords that the image has none of and inherits (header_values()); and `added`, which take the place of
/// cards of their keywords. An image of several planes has two axes here, as its catalogue has. Bytes that are no
/// ASCII become '?'.
std::string ldac_head(std::string_view header, std::string_view primary, const std::vector<HeadCard>& added);

}  // namespace srcextract
