#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "stages/core/host_device.hpp"

namespace srcextract {

/// ln 2 as a sum of two numbers. The first has few digits, so that its product with a whole exponent is exact.
inline constexpr double ln2_high = 0x1.62e42feep-1;
inline constexpr double ln2_low = 0x1.a39ef35793c76p-33;

/// atan2 of finite numbers with C's signs and quadrants, in radians, within 1e-15 of the true angle; NaN for other
/// arguments. With only + - * / and fixed tables, the result rounds the same with every C library and processor. libm's
/// atan2 may round differently.
double portable_atan2(double y, double x);

/// e^x with a relative error of at most 1e-15 (for a result below the smallest normal number: 1e-15 of that number);
/// NaN for NaN. The result rounds the same everywhere, also on a device.
SRCEXTRACT_HOST_DEVICE inline double portable_exp(double x) {
  if (!(x > -746)) return x == x ? 0 : x;
  if (x > 710) return std::numeric_limits<double>::infinity();
  const double k = std::floor(x / (ln2_high + ln2_low) + 0.5);
  const double r = (x - k * ln2_high) - k * ln2_low;
  double series = 1;  // Taylor series of e^r: |r| < 0.35; the first omitted term is 1e-17
  for (int n = 13; n >= 1; --n) series = 1 + r * series / n;
  return std::ldexp(series, static_cast<int>(k));
}

/// e^x with a relative error of at most 1e-11 for x from -104 to 89; other x are clamped to this range. Uses only + -
/// *, so it rounds alike on a device. In the Taylor series of e^r, |r| < 0.35, the first omitted term is 7e-12.
SRCEXTRACT_HOST_DEVICE inline double exp_in_float_range(double x) {
  constexpr double least = -104, most = 89;
  const double in_range = x > least ? (x < most ? x : most) : least;
  const double k = std::floor(in_range * (1 / (ln2_high + ln2_low)) + 0.5);
  const double r = (in_range - k * ln2_high) - k * ln2_low;
  double series = 1.0 / 362880;
  series = series * r + 1.0 / 40320;
  series = series * r + 1.0 / 5040;
  series = series * r + 1.0 / 720;
  series = series * r + 1.0 / 120;
  series = series * r + 1.0 / 24;
  series = series * r + 1.0 / 6;
  series = series * r + 0.5;
  series = series * r + 1;
  series = series * r + 1;
  const std::int64_t bits = (static_cast<std::int64_t>(static_cast<std::int32_t>(k)) + 1023) << 52;  // of 2^k
  double power;
  memcpy(&power, &bits, sizeof(power));
  return series * power;
}

/// The natural logarithm of a finite x > 0, with an error of at most 1e-15, absolute or relative, whichever is larger.
/// With only + - * /, the result rounds the same with every C library, processor and device. x = m 2^k with m in
/// [1/sqrt 2, sqrt 2), and ln m = 2 artanh s with s = (m - 1) / (m + 1), |s| < 0.172. The first omitted term is 1e-20.
SRCEXTRACT_HOST_DEVICE inline double portable_log(double x) {
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

/// The fraction of a normal distribution more than z sigma above its mean, for z >= 1, with a relative error of at most
/// 1e-11. Laplace's continued fraction for Mills' ratio (Abramowitz & Stegun 1964, 26.2.14) rounds the same everywhere.
SRCEXTRACT_HOST_DEVICE inline double portable_normal_tail(double z) {
  constexpr int terms = 200;
  double fraction = z;
  for (int n = terms; n >= 1; --n) fraction = z + n / fraction;
  return 0.398942280401432677940 * portable_exp(-z * z / 2) / fraction;
}

}  // namespace srcextract
