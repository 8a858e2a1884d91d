#pragma once

#include <array>
#include <cmath>

#include "stages/math/exact_math.hpp"
#include "stages/settings/pixel_beam.hpp"

namespace srcextract {

/// The shape K of a Gaussian: the covariance matrix of its profile, in squared pixels. The profile is exp(-d' K^-1 d /
/// 2), where d is the distance from the centre.
struct GaussianShape {
  double xx = 1, xy = 0, yy = 1;

  double determinant() const { return xx * yy - xy * xy; }
  /// Returns the larger (`sign` 1) or the smaller (`sign` -1) eigenvalue: the variance along the major or minor axis.
  double axis(int sign) const {
    const double half = (xx - yy) / 2;
    return (xx + yy) / 2 + sign * std::sqrt(half * half + xy * xy);
  }
};

/// 8 ln 2: the squared full width at half maximum of a Gaussian, divided by its variance.
inline constexpr double fwhm_squared = 5.545177444479562;

inline GaussianShape shape_of(const PixelBeam& beam) {
  const auto [c, s] = portable_cosine_sine(beam.angle);
  const double major = beam.major * beam.major / fwhm_squared, minor = beam.minor * beam.minor / fwhm_squared;
  return {major * c * c + minor * s * s, (major - minor) * c * s, major * s * s + minor * c * c};
}

/// A Gaussian in a map: peak exp(-d' K^-1 d / 2), where d is the distance from (x, y) in pixels and K = L L' with L =
/// (l11 0; l21 l22). With this parametrisation there is no angle to fit, and K is positive definite unless l11 or l22
/// is 0.
struct Gaussian {
  double peak = 0, x = 0, y = 0;
  double l11 = 1, l21 = 0, l22 = 1;

  GaussianShape spread() const { return {l11 * l11, l11 * l21, l21 * l21 + l22 * l22}; }
  /// The square root of the determinant of K.
  double extent() const { return l11 * l22; }

  /// Returns d' K^-1 d, where d is the distance of (px, py) from the centre.
  double distance(double px, double py) const {
    const double u = (px - x) / l11, v = (py - y - l21 * u) / l22;
    return u * u + v * v;
  }
  /// Returns K^-1 d: the derivatives of ln at() by the centre.
  std::array<double, 2> slope(double px, double py) const {
    const double u = (px - x) / l11, v = (py - y - l21 * u) / l22;
    return {(u - l21 * v / l22) / l11, v / l22};
  }
  double at(double px, double py) const {
    const double q = distance(px, py);
    return q < farthest ? peak * exp_in_float_range(-q / 2) : 0;
  }

  /// at() returns 0 where distance() is this value or more. The Gaussian is then below 1e-13 of its peak.
  static constexpr double farthest = 60;
};

/// Returns a Gaussian with this peak, centre and shape K.
inline Gaussian gaussian_of(double peak, double x, double y, const GaussianShape& spread) {
  const double l11 = std::sqrt(spread.xx), l21 = spread.xy / l11;
  return {peak, x, y, l11, l21, std::sqrt(spread.yy - l21 * l21)};
}

}  // namespace srcextract
