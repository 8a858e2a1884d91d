#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "stages/core/host_device.hpp"

namespace srcextract {

/// ln 2 = ln2_high + ln2_low. ln2_high has only 32 significant bits, so that its product with a binary exponent is
/// exact.
inline constexpr double ln2_high = 0x1.62e42feep-1;
inline constexpr double ln2_low = 0x1.a39ef35793c76p-33;

inline constexpr double ln_10 = 2.30258509299404568402;

/// atan2(y, x) of finite numbers, with the signs and quadrants of C's atan2, in radians, within 1e-15 of the true
/// angle. Returns NaN if an argument is not finite. The code uses only + - * / and fixed tables, so the result rounds
/// the same with every C library and processor. libm's atan2 may round differently.
double portable_atan2(double y, double x);

/// sin(t) for |t| <= pi / 2 by its Taylor series, within 2.3e-16. The result has the same bits on every machine.
SRCEXTRACT_HOST_DEVICE inline double portable_sin(double t) {
  const double square = t * t;
  double sum = 1;
  for (int k = 21; k >= 3; k -= 2) sum = 1 - sum * square / (k * (k - 1));
  return t * sum;
}

struct CosineSine {
  double cosine, sine;
};

/// Cosine and sine of an angle in radians, within 1e-15 for |angle| <= 2 pi. The code uses only + - * / and floor, so
/// the results round the same with every C library and processor.
CosineSine portable_cosine_sine(double angle);

/// The length of a vector whose x^2 + y^2 does not overflow. IEEE 754 prescribes how + * and sqrt round; libm's hypot
/// may round differently.
inline double length_of(double x, double y) {
  return std::sqrt(x * x + y * y);
}

/// e^x with a relative error of at most 1e-15. If the result is below the smallest normal number, the error is at most
/// 1e-15 of that number. Returns NaN for NaN. The result rounds the same on every host and GPU.
SRCEXTRACT_HOST_DEVICE inline double portable_exp(double x) {
  if (!(x > -746)) return x == x ? 0 : x;
  if (x > 710) return std::numeric_limits<double>::infinity();
  const double k = std::floor(x / (ln2_high + ln2_low) + 0.5);
  const double r = (x - k * ln2_high) - k * ln2_low;
  double series = 1;  // Taylor series of e^r, |r| < 0.35; the first omitted term is 1e-17
  for (int n = 13; n >= 1; --n) series = 1 + r * series / n;
  return std::ldexp(series, static_cast<int>(k));
}

/// e^x with a relative error of at most 1e-11 for x from -104 to 89; x outside this range is clamped to it. The code
/// uses only + - *, so the result rounds the same on host and GPU. With x = k ln 2 + r, |r| < 0.35, the first omitted
/// term of the Taylor series of e^r is 7e-12.
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
  const std::int64_t bits = (static_cast<std::int64_t>(static_cast<std::int32_t>(k)) + 1023) << 52;  // bits of 2^k
  double power;
  memcpy(&power, &bits, sizeof(power));
  return series * power;
}

/// The natural logarithm of a finite x > 0. The error is at most 1e-15, absolute or relative, whichever is larger. The
/// code uses only + - * /, so the result rounds the same with every C library, processor and GPU. Method: x = m 2^k
/// with m in [1/sqrt 2, sqrt 2), and ln m = 2 artanh s with s = (m - 1) / (m + 1), |s| < 0.172. The first omitted term
/// of the series is 1e-20.
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

/// The fraction of a normal distribution that is more than z sigma above its mean, for z >= 1, with a relative error of
/// at most 1e-11. The code evaluates Laplace's continued fraction for Mills' ratio (Abramowitz & Stegun 1964, 26.2.14),
/// and rounds the same on every host and GPU.
SRCEXTRACT_HOST_DEVICE inline double portable_normal_tail(double z) {
  constexpr int terms = 200;
  double fraction = z;
  for (int n = terms; n >= 1; --n) fraction = z + n / fraction;
  return 0.398942280401432677940 * portable_exp(-z * z / 2) / fraction;
}

}  // namespace srcextract
