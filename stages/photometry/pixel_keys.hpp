#pragma once

#include <cstdint>
#include <limits>

#include "stages/core/host_device.hpp"
#include "stages/math/ordered_key.hpp"

namespace srcextract {

/// A closed range of pixel values, as integer keys that have the same order as the floats
/// (stages/math/ordered_key.hpp).
struct KeyRange {
  std::uint32_t low, high;

  static constexpr KeyRange all() { return {0, std::numeric_limits<std::uint32_t>::max()}; }

  SRCEXTRACT_HOST_DEVICE bool holds(std::uint32_t key) const { return key >= low && key <= high; }
};

/// Returns the key of a pixel; -0 and +0 have the same key.
SRCEXTRACT_HOST_DEVICE inline std::uint32_t key_of_pixel(float value) {
  return ordered_key(value == 0 ? 0.0F : value);
}

/// Returns the range of the keys of all floats x with low <= x <= high.
SRCEXTRACT_HOST_DEVICE inline KeyRange keys_between(double low, double high) {
  return {key_of_pixel(ceil_to_float(low)), key_of_pixel(floor_to_float(high))};
}

/// Keys of Width pixels of a row. Only the keys of wanted pixels are defined.
template <int Width>
struct KeyBlock {
  std::uint32_t key[Width];
  std::int32_t wanted[Width];  ///< 1 if the pixel is wanted, else 0
  std::int32_t any;            ///< 0 if no pixel is wanted
};

/// Two keys that are adjacent in ascending order.
struct KeyPair {
  std::uint32_t lower, upper;
};

/// N integers: the contributions of one key to N sums, or the sums themselves.
template <int N>
struct IntegerSums {
  std::int64_t of[N];
};

}  // namespace srcextract
