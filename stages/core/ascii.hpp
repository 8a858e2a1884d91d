#pragma once

#include <algorithm>
#include <string_view>

namespace srcextract {

/// Of ASCII, whatever the locale.
constexpr bool is_printable(char c) {
  return c >= ' ' && c <= '~';
}

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Without the blanks before and after it.
constexpr std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

}  // namespace srcextract
