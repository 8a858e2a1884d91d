#pragma once

#include <cmath>
#include <cstdint>

#include "stages/core/host_device.hpp"

namespace srcextract {

/// Converts real numbers to integer multiples of a quantum and back. The quantum is a power of two. Sums of integers do
/// not depend on their order.
struct FixedPoint {
  double quantum;

  SRCEXTRACT_HOST_DEVICE std::int64_t of(double value) const {
    const double scaled = value * (1 / quantum);  // exact; compilers compute 1 / quantum once for all values
    return static_cast<std::int64_t>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
  }
  SRCEXTRACT_HOST_DEVICE double value(std::int64_t sum) const { return static_cast<double>(sum) * quantum; }
};

/// Chooses the quantum for sums of numbers whose magnitudes add up to at most `most`. The quantum is 2^-61 to 2^-60 of
/// `most`, so that rounding is negligible and sums fit into 64 bits.
SRCEXTRACT_HOST_DEVICE inline FixedPoint fixed_point_up_to(double most) {
  constexpr int bits = 61;
  if (!(most > 0)) return {1};
  int exponent = 0;
  std::frexp(most, &exponent);
  return {std::ldexp(1.0, exponent - bits)};
}

}  // namespace srcextract
