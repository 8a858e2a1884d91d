#pragma once

#include <cmath>
#include <cstdint>

#include "stages/core/host_device.hpp"

namespace srcextract {

/// Real numbers as multiples of a quantum, a power of two, so that sums do not depend on the order.
struct FixedPoint {
  double quantum;

  SRCEXTRACT_HOST_DEVICE std::int64_t of(double value) const {
    const double scaled = value * (1 / quantum);  // exact; compilers divide once for all values
    return static_cast<std::int64_t>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
  }
  SRCEXTRACT_HOST_DEVICE double value(std::int64_t sum) const { return static_cast<double>(sum) * quantum; }
};

/// A quantum for numbers whose magnitudes add up to `most`, so small that rounding to it does not matter.
SRCEXTRACT_HOST_DEVICE inline FixedPoint fixed_point_up_to(double most) {
  constexpr int bits = 61;
  if (!(most > 0)) return {1};
  int exponent = 0;
  std::frexp(most, &exponent);
  return {std::ldexp(1.0, exponent - bits)};
}

}  // namespace srcextract
