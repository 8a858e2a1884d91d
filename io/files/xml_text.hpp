#pragma once

#include <string>
#include <string_view>

namespace srcextract {

/// The next character of a text in UTF-8, or U+FFFD for one that XML 1.0 has no way to write: a control character, or
/// what is no UTF-8.
char32_t take_xml_character(std::string_view& text);

/// Appends a text in UTF-8 as it stands in XML, between tags or in the quotes of an attribute. Ends of lines and tabs
/// come back as they are.
void append_xml(std::string& out, std::string_view text);

std::string xml_text(std::string_view text);

}  // namespace srcextract
