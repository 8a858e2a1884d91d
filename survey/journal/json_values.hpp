#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace srcextract {

/// The JSON type for reading. The ordered type, with which journals are written, searches keys one by one, which would
/// take hours for a damaged line with many keys.
using ReadJson = nlohmann::json;

/// Converts a JSON number to an integer. Throws std::range_error if the number is no integer, or not in the type's
/// range. The library's own conversion of a number out of range is undefined behaviour.
template <class Integer>
Integer integer_from(const ReadJson& json) {
  if (json.is_number_unsigned() && std::in_range<Integer>(json.get<std::uint64_t>()))
    return static_cast<Integer>(json.get<std::uint64_t>());
  if (json.is_number_integer() && !json.is_number_unsigned() && std::in_range<Integer>(json.get<std::int64_t>()))
    return static_cast<Integer>(json.get<std::int64_t>());
  throw std::range_error("no integer in range");
}

/// Converts a JSON number to an integer as above; also throws std::range_error if the integer is less than `least` or
/// greater than `most`.
template <class Integer>
Integer integer_from(const ReadJson& json, Integer least, Integer most = std::numeric_limits<Integer>::max()) {
  const auto integer = integer_from<Integer>(json);
  if (integer < least || integer > most) throw std::range_error("no integer in range");
  return integer;
}

}  // namespace srcextract
