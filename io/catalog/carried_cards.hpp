#pragma once

#include <string>
#include <string_view>

namespace srcextract {

/// Returns the cards of an image that stay true for another image of the same pixels, such as a check image. Left out
/// are:
/// - the layout of the file,
/// - the meaning of the pixels (BUNIT, BSCALE, BLANK, DATAMIN ...),
/// - the name (EXTNAME, EXTVER, EXTLEVEL),
/// - the WCS; celestial_cards() supplies that of the first two axes.
/// Cards of `primary`, the primary header, are included if the image inherits them. Cards have 80 columns and no END;
/// non-ASCII bytes become '?'.
std::string carried_cards(std::string_view header, std::string_view primary);

/// Returns the EXTNAME, EXTVER and EXTLEVEL cards of a header: 80 columns each, no END.
std::string name_cards(std::string_view header);

}  // namespace srcextract
