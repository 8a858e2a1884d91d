#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "io/catalog/append_number.hpp"

namespace srcextract {

/// Writers of text hand it to the file in pieces of about this size.
inline constexpr std::size_t text_piece = std::size_t{1} << 20;

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
