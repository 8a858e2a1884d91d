#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace srcextract {

/// HDUs of a FITS file as a user names them: `auto` (the first with an image), `all`, or a list of names. A name is one
/// of:
/// - a number (0 is the primary HDU);
/// - an EXTNAME, or `EXTNAME,EXTVER` as in astropy and CFITSIO;
/// - a pattern of these two, where * stands for any characters and ? for one.
struct HduNames {
  std::vector<std::string> names = {"auto"};

  HduNames() = default;
  HduNames(std::string one) : names{std::move(one)} {}
  HduNames(const char* one) : names{one} {}
  HduNames(std::vector<std::string> some) : names(std::move(some)) {}

  static bool is_pattern(const std::string& name) { return name.find_first_of("*?") != std::string::npos; }

  /// Whether the file decides how many HDUs are meant (`all`, or a pattern).
  bool open() const { return names.front() == "all" || std::ranges::any_of(names, is_pattern); }

  /// True if more than one HDU may be meant.
  bool several() const { return names.size() > 1 || open(); }

  /// The names as in the configuration, for messages: SCI; [1, 4, 7].
  std::string text() const {
    if (names.size() == 1) return names.front();
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    return "[" + list + "]";
  }

  bool operator==(const HduNames&) const = default;
};

}  // namespace srcextract
