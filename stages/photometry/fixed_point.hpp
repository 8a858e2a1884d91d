#pragma once

#include <cmath>
#include <cstdint>

#include "stages/core/host_device.hpp"

namespace srcextract {

/// Converts real numbers to whole numbers of a quantum and back. The quantum is a power of two. Sums of whole numbers
/// do not depend on their order.
struct FixedPoint {
  double quantum;

  SRCEXTRACT_HOST_DEVICE std::int64_t of(double value) const {
    const double scaled = value * (1 / quantum);  // exact; compilers divide once for all values
    return static_cast<std::int64_t>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
  }
  SRCEXTRACT_HOST_DEVICE double value(std::int64_t sum) const { return static_cast<double>(sum) * quantum; }
};

/// Chooses the quantum for numbers whose magnitudes add up to `most` at most: 2^-61 to 2^-60 of `most`, so rounding
/// does not matter.
SRCEXTRACT_HOST_DEVICE inline FixedPoint fixed_point_up_to(double most) {
  constexpr int bits = 61;
  if (!(most > 0)) return {1};
  int exponent = 0;
  std::frexp(most, &exponent);
  return {std::ldexp(1.0, exponent - bits)};
}

}  // namespace srcextract
