#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

#include "stages/fit/fitted_row.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {

/// The covariance matrix K of a Gaussian's profile (GaussianShape), in any coordinates and unit, and the covariances of
/// the errors of its elements xx, xy and yy.
struct MeasuredSpread {
  GaussianShape of;
  std::array<std::array<double, 3>, 3> covariance = {};
};

/// Returns the K of a row, in squared pixels, with the covariances of its errors.
inline MeasuredSpread measured_spread(const ComponentRow& row) {
  MeasuredSpread spread{row.shape};
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) spread.covariance[a][b] = row.covariance[of_xx + a][of_xx + b];
  return spread;
}

/// Subtracts the K of the beam. The result is the K of the source before the convolution by the beam; noise may give it
/// negative eigenvalues.
inline MeasuredSpread without_beam(MeasuredSpread spread, const GaussianShape& beam) {
  spread.of = {spread.of.xx - beam.xx, spread.of.xy - beam.xy, spread.of.yy - beam.yy};
  return spread;
}

/// Returns K in other coordinates, J K J'. `first` and `second` are the rows of J: the derivatives of the first and of
/// the second new coordinate by x and y.
inline MeasuredSpread turned(const MeasuredSpread& spread, const std::array<double, 2>& first,
                             const std::array<double, 2>& second) {
  const auto [a, b] = first;
  const auto [c, d] = second;
  const double rows[3][3] = {{a * a, 2 * a * b, b * b}, {a * c, a * d + b * c, b * d}, {c * c, 2 * c * d, d * d}};
  const double from[3] = {spread.of.xx, spread.of.xy, spread.of.yy};
  double to[3] = {}, half[3][3] = {};
  MeasuredSpread out;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      to[i] += rows[i][k] * from[k];
      for (std::size_t l = 0; l < 3; ++l) half[i][k] += rows[i][l] * spread.covariance[l][k];
    }
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t l = 0; l < 3; ++l) out.covariance[i][k] += half[i][l] * rows[k][l];
  out.of = {to[0], to[1], to[2]};
  return out;
}

/// The ellipse on which a Gaussian has half of its peak, with standard errors.
struct FittedEllipse {
  double major = 0, minor = 0;  ///< full widths at half maximum; 0 if the eigenvalue is not above 0
  /// Direction of the major axis in degrees, from the first coordinate axis towards the second, in [0, 180).
  double angle = 0;
  double major_error = 0, minor_error = 0, angle_error = 0;
  double major_limit = 0;  ///< upper limit of `major`, at two standard errors; NaN if the shape was not fitted
  bool extended = false;   ///< whether the larger eigenvalue exceeds 0 by more than two standard errors
};

/// Computes the ellipse from the eigenvalues and eigenvectors of K. Errors are propagated by derivatives.
inline FittedEllipse ellipse_of(const MeasuredSpread& spread) {
  constexpr double degrees = 180 / std::numbers::pi;
  const auto& [xx, xy, yy] = spread.of;
  const double radius = length_of((xx - yy) / 2, xy);
  double angle = portable_atan2(2 * xy, xx - yy) / 2;
  const auto [c, s] = portable_cosine_sine(angle);
  const double by_angle = 4 * radius * radius;
  const auto error_of = [&](const std::array<double, 3>& by) {
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k) sum += by[i] * spread.covariance[i][k] * by[k];
    return std::sqrt(std::max(sum, 0.0));
  };
  const double large = spread.of.axis(1), small = spread.of.axis(-1);
  const double large_error = error_of({c * c, 2 * c * s, s * s}), small_error = error_of({s * s, -2 * c * s, c * c});
  const auto width = [](double eigenvalue) { return eigenvalue > 0 ? std::sqrt(fwhm_squared * eigenvalue) : 0; };
  const auto width_error = [&](double eigenvalue, double error) {
    return eigenvalue > 0 ? fwhm_squared * error / (2 * width(eigenvalue)) : 0;
  };
  if (angle < 0) angle += std::numbers::pi;
  FittedEllipse out;
  out.major = width(large);
  out.minor = width(small);
  out.angle = large > 0 && angle < std::numbers::pi ? angle * degrees : 0;
  out.major_error = width_error(large, large_error);
  out.minor_error = width_error(small, small_error);
  // The angle of a round shape is undefined, so its error is 90 degrees.
  out.angle_error =
      radius > 0 ? std::min(90.0, degrees * error_of({-xy / by_angle, (xx - yy) / by_angle, xy / by_angle})) : 90.0;
  // The error is 0 if the shape was not fitted.
  const bool measured = large_error > 0;
  out.major_limit = measured ? width(large + 2 * large_error) : std::numeric_limits<double>::quiet_NaN();
  out.extended = measured && large > 2 * large_error;
  return out;
}

}  // namespace srcextract
