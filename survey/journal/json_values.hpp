#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace srcextract {

/// A JSON number as an integer. Throws std::range_error if it is out of the type's range: the library converts any
/// number, and such a conversion is undefined in C++.
template <class Integer, class Json>
Integer integer_from(const Json& json) {
  if (json.is_number_unsigned() && std::in_range<Integer>(json.template get<std::uint64_t>()))
    return static_cast<Integer>(json.template get<std::uint64_t>());
  if (json.is_number_integer() && !json.is_number_unsigned() &&
      std::in_range<Integer>(json.template get<std::int64_t>()))
    return static_cast<Integer>(json.template get<std::int64_t>());
  throw std::range_error("no integer in range");
}

/// A JSON number as an integer; throws std::range_error also if it is less than `least` or more than `most`.
template <class Integer, class Json>
Integer integer_from(const Json& json, Integer least, Integer most = std::numeric_limits<Integer>::max()) {
  const auto integer = integer_from<Integer>(json);
  if (integer < least || integer > most) throw std::range_error("no integer in range");
  return integer;
}

}  // namespace srcextract
