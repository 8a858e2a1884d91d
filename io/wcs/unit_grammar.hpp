#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/wcs/unit_table.hpp"

namespace srcextract {

/// A name in a unit, in the spelling of FITS, and its power in the whole unit: -2 for s in (m/s)**2.
struct UnitPower {
  std::string name;
  double power = 1;
};

struct ParsedUnit {
  UnitValue value;
  std::string ten;                 ///< factor at the start of the unit without blanks, such as "10**-17", if any
  std::vector<UnitPower> factors;  ///< names with powers, in order
  std::string text;                ///< text of the unit, with FITS names in place of common spellings
};

/// Parses a unit by the grammar of FITS Standard 4.0, 4.3.1:
/// - a factor 10**k, 10^k or 10+k at the start;
/// - `*`, `.` or a blank between factors, `/` before a divisor, from left to right ("Jy/beam.km" is Jy km per beam);
/// - powers as **2, ^2, 2 or (1/2); parentheses; sqrt();
/// - blanks around operators.
///
/// Functions such as log() are not accepted, since other programs do not read them. Returns nothing if the text is
/// invalid or longer than `longest_unit` bytes.
std::optional<ParsedUnit> parse_unit(std::string_view text);

/// Length in characters of the longest unit: the columns 11 to 80 of a FITS card, which hold the value.
inline constexpr std::size_t longest_unit = 70;

}  // namespace srcextract
