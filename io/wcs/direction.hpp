#pragma once

#include <array>
#include <cmath>
#include <numbers>

namespace srcextract {

/// Rounds a length to a millionth of `of` (2^-20 or 2^-21), for lengths that a WCS tells and fluxes depend on. The last
/// bits of a WCS are those of the C library's trigonometry.
inline double to_millionth(double length, double of) {
  if (!(std::isnormal(of))) return length;
  const double unit = std::ldexp(1.0, std::ilogb(of) - 20);
  return std::round(length / unit) * unit;
}

/// One degree in radians.
inline constexpr double degree = std::numbers::pi / 180;
/// One degree in arcseconds.
inline constexpr double arcseconds = 3600;

/// A point on the sky as a vector of length 1.
using Direction = std::array<double, 3>;

/// Returns the direction of a longitude and a latitude, both in degrees.
inline Direction direction_of(double longitude, double latitude) {
  const double across = std::cos(latitude * degree);
  return {across * std::cos(longitude * degree), across * std::sin(longitude * degree), std::sin(latitude * degree)};
}

}  // namespace srcextract
