#pragma once

#include <string>
#include <string_view>

namespace srcextract {

/// Returns the cards of an image that are also true for another image with the same pixel grid, such as a check image.
/// The following are left out:
/// - the layout of the file,
/// - the meaning of the pixel values (BUNIT, BSCALE, BLANK, DATAMIN ...),
/// - the name (EXTNAME, EXTVER, EXTLEVEL), and CREATOR,
/// - the WCS; celestial_cards() returns the cards for the first two axes.
/// The result includes cards of `primary`, the primary header, that the image inherits. Cards have 80 columns; there is
/// no END card. Bytes other than printable ASCII become '?'.
std::string carried_cards(std::string_view header, std::string_view primary);

/// Returns the EXTNAME, EXTVER and EXTLEVEL cards of a header. Cards have 80 columns; there is no END card.
std::string name_cards(std::string_view header);

}  // namespace srcextract
