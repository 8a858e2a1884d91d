#pragma once

#include <string>
#include <string_view>

namespace srcextract {

/// Takes the next character of a UTF-8 text. Returns U+FFFD for invalid UTF-8 and for characters that XML 1.0 cannot
/// hold.
char32_t take_xml_character(std::string_view& text);

/// Appends a UTF-8 text, escaped for element content and quoted attributes. Line ends and tabs survive the round trip.
void append_xml(std::string& out, std::string_view text);

std::string xml_text(std::string_view text);

}  // namespace srcextract
