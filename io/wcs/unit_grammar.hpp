#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/wcs/unit_table.hpp"

namespace srcextract {

/// A name in a unit, in FITS spelling, and its total power: -2 for s in (m/s)**2.
struct UnitPower {
  std::string name;
  double power = 1;
};

/// A parsed unit.
struct ParsedUnit {
  UnitValue value;
  std::string ten;                 ///< leading factor without blanks, "10**-17", if any
  std::vector<UnitPower> factors;  ///< factors in order
  std::string text;                ///< text with FITS names in place of common spellings
};

/// Parses a unit by the grammar of FITS Standard 4.0, 4.3.1:
/// - a leading factor 10**k, 10^k or 10+k;
/// - `*`, `.` or a blank between factors, `/` before a divisor, left to right ("Jy/beam.km" is Jy km per beam);
/// - powers as **2, ^2, 2, (1/2); parentheses; sqrt();
/// - blanks around operators.
///
/// Functions such as log() are not read, since other readers refuse them. Nothing if the text is invalid or longer than
/// `longest_unit` bytes.
std::optional<ParsedUnit> parse_unit(std::string_view text);

/// Longest unit that fits into a card.
inline constexpr std::size_t longest_unit = 70;

}  // namespace srcextract
