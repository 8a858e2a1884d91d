#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace srcextract {

/// A number of JSON as an integer. Throws std::range_error if it is none of that type: the library converts any number,
/// also one of another range, for which C++ has no answer.
template <class Integer, class Json>
Integer integer_from(const Json& json) {
  if (json.is_number_unsigned() && std::in_range<Integer>(json.template get<std::uint64_t>()))
    return static_cast<Integer>(json.template get<std::uint64_t>());
  if (json.is_number_integer() && !json.is_number_unsigned() &&
      std::in_range<Integer>(json.template get<std::int64_t>()))
    return static_cast<Integer>(json.template get<std::int64_t>());
  throw std::range_error("no integer in range");
}

/// Also if it is less than `least` or more than `most`.
template <class Integer, class Json>
Integer integer_from(const Json& json, Integer least, Integer most = std::numeric_limits<Integer>::max()) {
  const auto integer = integer_from<Integer>(json);
  if (integer < least || integer > most) throw std::range_error("no integer in range");
  return integer;
}

}  // namespace srcextract
