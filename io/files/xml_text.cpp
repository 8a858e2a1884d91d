#include "io/files/xml_text.hpp"

#include "io/files/utf8.hpp"

namespace srcextract {

char32_t take_xml_character(std::string_view& text) {
  const char32_t c = take_character(text);
  const bool allowed = c >= 0x20 ? c != 0x7f && c != 0xfffe && c != 0xffff : c == '\t' || c == '\n' || c == '\r';
  return allowed ? c : replacement_character;
}

void append_xml(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const std::string_view rest = text;
    const char32_t c = take_xml_character(text);
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\t':
        out += "&#9;";
        break;
      case '\n':
        out += "&#10;";
        break;
      case '\r':
        out += "&#13;";
        break;
      case replacement_character:
        out += replacement_utf8;
        break;
      default:
        out += rest.substr(0, rest.size() - text.size());
    }
  }
}

std::string xml_text(std::string_view text) {
  std::string out;
  append_xml(out, text);
  return out;
}

}  // namespace srcextract
