#pragma once

#include <cstdint>
#include <limits>

#include "stages/core/host_device.hpp"
#include "stages/math/ordered_key.hpp"

namespace srcextract {

/// A closed range of pixel values, as integer keys that order like the floats (stages/math/ordered_key.hpp).
struct KeyRange {
  std::uint32_t low, high;

  static constexpr KeyRange all() { return {0, std::numeric_limits<std::uint32_t>::max()}; }

  SRCEXTRACT_HOST_DEVICE bool holds(std::uint32_t key) const { return key >= low && key <= high; }
};

/// The key of a pixel: -0 is +0.
SRCEXTRACT_HOST_DEVICE inline std::uint32_t key_of_pixel(float value) {
  return ordered_key(value == 0 ? 0.0F : value);
}

/// The range of keys of all float values x with low <= x <= high.
SRCEXTRACT_HOST_DEVICE inline KeyRange keys_between(double low, double high) {
  return {key_of_pixel(ceil_to_float(low)), key_of_pixel(floor_to_float(high))};
}

/// Keys of Width pixels of a row, of which only the wanted ones are defined.
template <int Width>
struct KeyBlock {
  std::uint32_t key[Width];
  std::int32_t wanted[Width];  ///< 1 or 0
  std::int32_t any;            ///< 0: no pixel is wanted
};

/// Two keys that are adjacent in order.
struct KeyPair {
  std::uint32_t lower, upper;
};

/// N whole numbers: what one key adds to N sums, or the sums themselves.
template <int N>
struct IntegerSums {
  std::int64_t of[N];
};

}  // namespace srcextract
