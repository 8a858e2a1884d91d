#pragma once

#include <cmath>
#include <limits>

#include "stages/core/host_device.hpp"

namespace srcextract {

/// atan2 of finite numbers with C's signs and quadrants, in radians, within 1e-15 of the true angle; NaN of others.
/// Only + - * / and fixed tables, so that it rounds the same with every C library and processor, which libm's own does
/// not promise.
double portable_atan2(double y, double x);

/// e^x within 1e-15 of itself (of the smallest normal number where it is below that), in the same way, also on a
/// device; NaN of NaN.
SRCEXTRACT_HOST_DEVICE inline double portable_exp(double x) {
  // ln 2 in two parts, of which the first has few enough digits that k times it is exact.
  constexpr double ln2_high = 0x1.62e42feep-1;
  constexpr double ln2_low = 0x1.a39ef35793c76p-33;
  if (!(x > -746)) return x == x ? 0 : x;
  if (x > 710) return std::numeric_limits<double>::infinity();
  const double k = std::floor(x / (ln2_high + ln2_low) + 0.5);
  const double r = (x - k * ln2_high) - k * ln2_low;
  double series = 1;  // Taylor's, of e^r: |r| < 0.35, so that the first term left out is 1e-17
  for (int n = 13; n >= 1; --n) series = 1 + r * series / n;
  return std::ldexp(series, static_cast<int>(k));
}

/// The share of a normal distribution that is more than z sigma above its mean, for z >= 1, within 1e-11 of itself:
/// Laplace's continued fraction for Mills' ratio (Abramowitz & Stegun 1964, 26.2.14), in the same way.
SRCEXTRACT_HOST_DEVICE inline double portable_normal_tail(double z) {
  constexpr int terms = 200;
  double fraction = z;
  for (int n = terms; n >= 1; --n) fraction = z + n / fraction;
  return 0.398942280401432677940 * portable_exp(-z * z / 2) / fraction;
}

}  // namespace srcextract
