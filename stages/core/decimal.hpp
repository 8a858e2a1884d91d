#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <system_error>

#include "stages/core/ascii.hpp"

namespace srcextract {

/// Returns the text without its sign. Returns an empty text if the rest does not begin with a digit or a point, or if a
/// needless 0 precedes another digit. std::from_chars alone would also accept a second sign, a needless 0, `inf` and
/// `nan`.
inline std::string unsigned_digits(const std::string& text) {
  const std::string digits = text.substr(!text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0);
  if (digits.empty() || !(is_digit(digits[0]) || digits[0] == '.')) return "";
  if (digits.size() > 1 && digits[0] == '0' && is_digit(digits[1])) return "";
  return digits;
}

/// Reads the whole text as a decimal number. If the function returns an error, the value of `out` is unspecified.
template <class Number>
std::errc parse_decimal(const std::string& text, Number& out) {
  const std::string digits = unsigned_digits(text);
  if (digits.empty()) return std::errc::invalid_argument;
  const std::string number = (text[0] == '-' ? "-" : "") + digits;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), out);
  return end == number.data() + number.size() ? error : std::errc::invalid_argument;
}

/// The decimal number that the text spells; nothing if the text is no such number, or if the number is too large or too
/// small for a double (1e999, 1e-999).
inline std::optional<double> given_number(const std::string& text) {
  double number = 0;
  return parse_decimal(text, number) == std::errc{} ? std::optional(number) : std::nullopt;
}

}  // namespace srcextract
