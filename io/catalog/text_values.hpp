#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include "io/files/utf8.hpp"

namespace srcextract {

/// Writers of text hand it to the file in pieces of about this size.
inline constexpr std::size_t text_piece = std::size_t{1} << 20;

/// Appends the shortest decimal that reads back to the same bits, in no one's locale.
template <class T>
void append_number(std::string& out, T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) {  // without the sign that to_chars would show
      out += "nan";
      return;
    }
  }
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
}

/// Appends text as it is, or in double quotes (RFC 4180) where it would be taken apart.
inline void append_text(std::string& out, std::string_view text, char separator) {
  if (!text.empty() && text.find_first_of(" \t\r\n\"#") == text.npos && text.find(separator) == text.npos) {
    out += text;
    return;
  }
  out += '"';
  for (char c : text) out.append(c == '"' ? 2 : 1, c);
  out += '"';
}

/// The text as astropy reads it from ECSV, which is YAML and lines of text. A control character and an end of line of
/// Unicode (U+2028, U+2029) become a blank, unless `kept` has it; what YAML refuses becomes U+FFFD.
inline std::string for_ecsv(std::string_view text, std::string_view kept = "") {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::string_view rest = text;
    const char32_t c = take_character(text);
    const bool control = c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029;
    if (control && (c >= 0x80 || kept.find(static_cast<char>(c)) == kept.npos)) {
      out += ' ';
    } else if (c == replacement_character || c == 0xfffe || c == 0xffff) {
      out += replacement_utf8;
    } else {
      out += rest.substr(0, rest.size() - text.size());
    }
  }
  return out;
}

/// Whether a spreadsheet would take a field of CSV for a formula. Numbers with a sign, and hours or degrees, minutes
/// and seconds, are none.
inline bool is_formula(std::string_view field) {
  if (field.empty() || std::string_view("=@+-\t\r").find(field[0]) == std::string_view::npos) return false;
  return (field[0] != '+' && field[0] != '-') || field.find_first_not_of("0123456789.: eE+-", 1) != field.npos;
}

}  // namespace srcextract
