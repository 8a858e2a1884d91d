#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace srcextract {

/// Whether the character is printable ASCII, blanks included. The locale of the process has no effect.
constexpr bool is_printable(char c) {
  return c >= ' ' && c <= '~';
}

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

constexpr char capital(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

constexpr char small(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline std::string in_capitals(std::string text) {
  std::ranges::transform(text, text.begin(), capital);
  return text;
}

inline std::string in_small_letters(std::string text) {
  std::ranges::transform(text, text.begin(), small);
  return text;
}

constexpr bool equal_in_any_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return small(x) == small(y); });
}

/// The text without leading and trailing blanks. A blank is ' ' only; tabs stay.
constexpr std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

}  // namespace srcextract
