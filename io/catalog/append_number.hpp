#pragma once

#include <charconv>
#include <cmath>
#include <string>
#include <type_traits>

namespace srcextract {

/// Appends the shortest decimal that reads back to the same bits, in no one's locale.
template <class T>
void append_number(std::string& out, T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) {  // without the sign that to_chars would show
      out += "nan";
      return;
    }
  }
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
}

}  // namespace srcextract
