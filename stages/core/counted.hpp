#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace srcextract {

/// Returns a number with its noun, for messages: "1 file", "2 files".
inline std::string counted(std::int64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

/// Returns a list of `count` names for messages: "a, b, c". If there are more than ten names, the list has the first
/// ten and ends in "and 92 more". name_of(i) returns name i, from 0.
template <class NameOf>
std::string first_few(std::size_t count, NameOf&& name_of) {
  constexpr std::size_t most = 10;
  std::string list;
  for (std::size_t i = 0; i < std::min(count, most); ++i) list += (list.empty() ? "" : ", ") + name_of(i);
  return count > most ? list + " and " + std::to_string(count - most) + " more" : list;
}

}  // namespace srcextract
