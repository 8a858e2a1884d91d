#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

namespace srcextract {

/// Splits a line into words at blanks, tabs and the other ASCII white space.
inline std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view blanks = " \t\r\f\v";
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; (begin = line.find_first_not_of(blanks, begin)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(blanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

/// The decimal number that a word spells, with optional sign and exponent. Nothing if the word is not such a number, or
/// if the number is infinite, NaN, or too large or too small for a double (1e999, 1e-999).
inline std::optional<double> finite_number(std::string_view word) {
  double value = 0;
  const char* const end = word.data() + word.size();
  const char* const begin = word.data() + (word.starts_with('+') && !word.starts_with("+-") ? 1 : 0);
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error == std::errc() && stop == end && std::isfinite(value)) return value;
  return std::nullopt;
}

}  // namespace srcextract
