#pragma once

#include <string>
#include <string_view>

namespace srcextract {

/// Removes the first character from a UTF-8 text and returns it. Returns U+FFFD for invalid UTF-8, for characters that
/// XML 1.0 excludes, and for DEL.
char32_t take_xml_character(std::string_view& text);

/// Appends a UTF-8 text, escaped for element content and for attributes in double quotes. Escapes tabs and line ends
/// too, because an XML parser would change them to spaces in attributes.
void append_xml(std::string& out, std::string_view text);

std::string xml_text(std::string_view text);

}  // namespace srcextract
