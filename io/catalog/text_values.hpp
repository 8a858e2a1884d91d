#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "io/files/output_file.hpp"
#include "io/files/utf8.hpp"

namespace srcextract {

/// Approximate size in bytes of the pieces in which text is written to a file.
inline constexpr std::size_t text_piece = std::size_t{1} << 20;

/// Writes `count` rows to the file, about text_piece bytes at a time. `add(text, row)` appends a row to the text.
template <class Add>
void write_text_rows(OutputFile& file, std::int64_t count, const Add& add) {
  std::string text;
  for (std::size_t row = 0; row < static_cast<std::size_t>(count); ++row) {
    add(text, row);
    if (text.size() < text_piece) continue;
    file.write(text);
    text.clear();
  }
  file.write(text);
}

/// Appends the shortest decimal number that reads back to the same bits, in any locale.
template <class T>
void append_number(std::string& out, T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) {  // to_chars would add a minus sign to some NaNs
      out += "nan";
      return;
    }
  }
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
}

/// Appends text unchanged, or in double quotes (RFC 4180) if it is empty or contains a character that readers would not
/// take as part of a field.
inline void append_text(std::string& out, std::string_view text, char separator) {
  if (!text.empty() && text.find_first_of(" \t\r\n\"#") == text.npos && text.find(separator) == text.npos) {
    out += text;
    return;
  }
  out += '"';
  for (char c : text) out.append(c == '"' ? 2 : 1, c);
  out += '"';
}

/// Returns text for ECSV, which Astropy reads line by line and as YAML. Control characters and Unicode line ends
/// (U+2028, U+2029) become blanks, except those in `kept`. Characters that YAML does not allow become U+FFFD.
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

/// Returns true if a spreadsheet would take a CSV field for a formula. Numbers with a sign and sexagesimal coordinates
/// are no formulas.
inline bool is_formula(std::string_view field) {
  if (field.empty() || std::string_view("=@+-\t\r").find(field[0]) == std::string_view::npos) return false;
  return (field[0] != '+' && field[0] != '-') || field.find_first_not_of("0123456789.: eE+-", 1) != field.npos;
}

}  // namespace srcextract
