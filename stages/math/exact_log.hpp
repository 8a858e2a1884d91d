#pragma once

#include <cmath>

#include "stages/core/host_device.hpp"

namespace srcextract {

/// The natural logarithm of a finite x > 0 within 1e-15 of it, or of 1 where that is more; + - * / alone, so that it
/// rounds the same with every C library, processor and device. x = m 2^k with m in [1/sqrt 2, sqrt 2), and
/// ln m = 2 artanh s with s = (m - 1) / (m + 1), |s| < 0.172: the first term left out is 1e-20.
SRCEXTRACT_HOST_DEVICE inline double portable_log(double x) {
  constexpr double ln2_high = 0x1.62e42feep-1;  // few enough digits that k times it is exact
  constexpr double ln2_low = 0x1.a39ef35793c76p-33;
  int k = 0;
  double m = std::frexp(x, &k);
  if (m < 0.70710678118654752440) {
    m *= 2;
    --k;
  }
  const double s = (m - 1) / (m + 1), s2 = s * s;
  double series = 0;
  for (int n = 23; n >= 3; n -= 2) series = s2 * (1.0 / n + series);
  return k * ln2_high + (k * ln2_low + 2 * (s + s * series));
}

}  // namespace srcextract
