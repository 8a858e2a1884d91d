#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

#include "stages/core/host_device.hpp"

namespace srcextract {

/// Maps floats to integers in the same order, with -0 before +0: a < b if signed_key(a) < signed_key(b). Integer keys
/// are compared, counted and binned exactly on any machine.
SRCEXTRACT_HOST_DEVICE inline std::int32_t signed_key(float value) {
  std::int32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits ^ ((bits >> 31) & 0x7fffffff);
}

SRCEXTRACT_HOST_DEVICE inline std::uint32_t ordered_key(float value) {
  return static_cast<std::uint32_t>(signed_key(value)) ^ 0x80000000u;
}

/// The float whose signed_key() is `key`.
SRCEXTRACT_HOST_DEVICE inline float value_of_signed_key(std::int32_t key) {
  const std::int32_t bits = key ^ ((key >> 31) & 0x7fffffff);
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

/// The float whose ordered_key() is `key`.
SRCEXTRACT_HOST_DEVICE inline float value_of_ordered_key(std::uint32_t key) {
  return value_of_signed_key(static_cast<std::int32_t>(key ^ 0x80000000u));
}

/// The nearest float that compares less (next_below) or greater (next_above) than `value`. -0 and +0 count as one
/// number.
SRCEXTRACT_HOST_DEVICE inline float next_below(float value) {
  return value_of_signed_key(signed_key(value == 0 ? -0.0F : value) - 1);
}
SRCEXTRACT_HOST_DEVICE inline float next_above(float value) {
  return value_of_signed_key(signed_key(value == 0 ? 0.0F : value) + 1);
}

/// The largest float <= value. A float x is > value exactly if x > floor_to_float(value).
SRCEXTRACT_HOST_DEVICE inline float floor_to_float(double value) {
  const float nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) <= value) return nearest;
  return next_below(nearest);
}

/// The smallest float >= value. A float x is < value exactly if x < ceil_to_float(value).
SRCEXTRACT_HOST_DEVICE inline float ceil_to_float(double value) {
  return -floor_to_float(-value);
}

}  // namespace srcextract
