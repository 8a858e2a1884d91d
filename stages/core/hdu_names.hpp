#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "stages/core/words.hpp"

namespace srcextract {

/// The user's choice of HDUs in a FITS file: `auto` (the first HDU with an image), `all`, or a list of names. A name is
/// one of:
/// - a number (0 is the primary HDU);
/// - an EXTNAME, or `EXTNAME,EXTVER` as in astropy and CFITSIO;
/// - an EXTNAME or `EXTNAME,EXTVER` with wildcards: * stands for any characters and ? for one. An EXTVER is a number or
///   *.
struct HduNames {
  std::vector<std::string> names = {"auto"};

  HduNames() = default;
  HduNames(std::string one) : names{std::move(one)} {}
  HduNames(const char* one) : names{one} {}
  HduNames(std::vector<std::string> some) : names(std::move(some)) {}

  static bool is_pattern(const std::string& name) { return name.find_first_of("*?") != std::string::npos; }

  /// Whether the number of chosen HDUs depends on the file: with `all` or a wildcard.
  bool open() const { return names.front() == "all" || std::ranges::any_of(names, is_pattern); }

  /// True if the choice may cover more than one HDU.
  bool several() const { return names.size() > 1 || open(); }

  /// The names as in the configuration, for messages. Examples: "SCI", "[1, 4, 7]".
  std::string text() const { return names.size() == 1 ? names.front() : "[" + join(names) + "]"; }

  bool operator==(const HduNames&) const = default;
};

}  // namespace srcextract
