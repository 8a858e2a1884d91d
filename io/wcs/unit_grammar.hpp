#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/wcs/unit_table.hpp"

namespace srcextract {

/// A name in a unit, as the FITS Standard has it, and its power in all: -2 of s in (m/s)**2.
struct UnitPower {
  std::string name;
  double power = 1;
};

/// A text that is a unit.
struct ParsedUnit {
  UnitValue value;
  std::string ten;                 ///< the factor in front without blanks, "10**-17", if there is one
  std::vector<UnitPower> factors;  ///< in their order
  std::string text;  ///< with the names of the FITS Standard in place of those that are often written instead
};

/// Reads a unit by the grammar of the FITS Standard 4.0, 4.3.1: a factor 10**k, 10^k or 10+k in front; names; `*`, `.`
/// or a blank between factors, `/` before a divisor, from left to right ("Jy/beam.km" is Jy km per beam); powers as
/// **2, ^2, 2, (1/2); parentheses; sqrt(). Functions as log() are not read: other readers refuse them. Blanks around
/// operators are allowed. Nothing if the text is no such unit, or has more than `longest_unit` bytes.
std::optional<ParsedUnit> parse_unit(std::string_view text);

/// What fits into a card.
inline constexpr std::size_t longest_unit = 70;

}  // namespace srcextract
