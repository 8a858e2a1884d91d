#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace srcextract {

/// HDUs of a FITS file as a user names them: `auto` (the first that holds an image), `all`, or one or more of a number
/// (0 is the primary HDU), an EXTNAME, `EXTNAME,EXTVER` as astropy and CFITSIO have it, and patterns of these two, in
/// which * stands for any characters and ? for one.
struct HduNames {
  std::vector<std::string> names = {"auto"};

  HduNames() = default;
  HduNames(std::string one) : names{std::move(one)} {}
  HduNames(const char* one) : names{one} {}
  HduNames(std::vector<std::string> some) : names(std::move(some)) {}

  static bool is_pattern(const std::string& name) { return name.find_first_of("*?") != std::string::npos; }

  /// Whether a file decides what they are, as many as it has of them.
  bool open() const { return names.front() == "all" || std::ranges::any_of(names, is_pattern); }

  /// Whether they may be more than one.
  bool several() const { return names.size() > 1 || open(); }

  /// As it stands in a configuration, for messages: SCI; [1, 4, 7].
  std::string text() const {
    if (names.size() == 1) return names.front();
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    return "[" + list + "]";
  }

  bool operator==(const HduNames&) const = default;
};

}  // namespace srcextract
