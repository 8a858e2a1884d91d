#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace srcextract {

/// "1 file", "2 files": a number and what it counts, as messages say it.
inline std::string counted(std::int64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

/// "a, b, c": things as messages list them, by name_of(index); of many the first ten, "and 92 more".
template <class NameOf>
std::string first_few(std::size_t count, NameOf&& name_of) {
  constexpr std::size_t most = 10;
  std::string list;
  for (std::size_t i = 0; i < std::min(count, most); ++i) list += (list.empty() ? "" : ", ") + name_of(i);
  return count > most ? list + " and " + std::to_string(count - most) + " more" : list;
}

}  // namespace srcextract
