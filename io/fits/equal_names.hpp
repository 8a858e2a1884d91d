#pragma once

#include <algorithm>
#include <string_view>

namespace srcextract {

/// Compares names of extensions or columns, ignoring case.
inline bool equal_names(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace srcextract
