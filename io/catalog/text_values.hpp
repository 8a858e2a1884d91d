#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

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

}  // namespace srcextract
