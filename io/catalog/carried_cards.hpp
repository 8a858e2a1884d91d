#pragma once

#include <string>
#include <string_view>

namespace srcextract {

/// The cards of the header of an image that hold for another image of the same pixels, such as a check image: all but
/// what says how a file is built, what its pixels mean (BUNIT, BSCALE, BLANK, DATAMIN ...), its name and the WCS of
/// its first two axes, which celestial_cards() has. With those of `primary`, the header of the primary HDU, that an
/// image inherits. In 80 columns each, without END; bytes that are no ASCII become '?'.
std::string carried_cards(std::string_view header, std::string_view primary);

/// EXTNAME, EXTVER and EXTLEVEL of a header, in such cards.
std::string name_cards(std::string_view header);

}  // namespace srcextract
