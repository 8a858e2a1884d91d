#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"

namespace srcextract {

/// Limits of polynomials over the field (the area of the image). A polynomial's terms are products T_a(u) T_b(v) of
/// Chebyshev polynomials with a + b <= order. u and v go from -1 to 1 over the image's columns and rows. Terms are
/// sorted by a + b and then by b, so the terms of a lower order come first. Powers of pixel coordinates are not used,
/// because they make the equations of a fit ill-conditioned.
inline constexpr int most_field_order = 3;
inline constexpr int most_field_terms = (most_field_order + 1) * (most_field_order + 2) / 2;

SRCEXTRACT_HOST_DEVICE constexpr int field_terms(int order) {
  return (order + 1) * (order + 2) / 2;
}

/// The values of all terms up to most_field_order at one position (x, y) in pixels, counted from 0, in an image of
/// width x height pixels.
struct FieldTerms {
  double value[most_field_terms];

  SRCEXTRACT_HOST_DEVICE FieldTerms(double x, double y, double width, double height) {
    const double u = width > 1 ? 2 * x / (width - 1) - 1 : 0;
    const double v = height > 1 ? 2 * y / (height - 1) - 1 : 0;
    const double in_x[most_field_order + 1] = {1, u, 2 * u * u - 1, (4 * u * u - 3) * u};
    const double in_y[most_field_order + 1] = {1, v, 2 * v * v - 1, (4 * v * v - 3) * v};
    int term = 0;
    for (int degree = 0; degree <= most_field_order; ++degree) {
      for (int b = 0; b <= degree; ++b) value[term++] = in_x[degree - b] * in_y[b];
    }
  }

  /// The value at this position of the polynomial with these coefficients for its first `terms` terms.
  SRCEXTRACT_HOST_DEVICE double sum(const double* coefficients, int terms) const {
    double total = 0;
    for (int k = 0; k < terms; ++k) total += coefficients[k] * value[k];
    return total;
  }
};

/// A polynomial over the field, restricted to the image row whose scaled coordinate is v. of[a] is the coefficient of
/// T_a(u).
struct FieldRow {
  double of[most_field_order + 1] = {};

  SRCEXTRACT_HOST_DEVICE FieldRow(const double* coefficients, int terms, double v) {
    const double in_y[most_field_order + 1] = {1, v, 2 * v * v - 1, (4 * v * v - 3) * v};
    int term = 0;
    for (int degree = 0; degree <= most_field_order; ++degree) {
      for (int b = 0; b <= degree; ++b, ++term)
        if (term < terms) of[degree - b] += coefficients[term] * in_y[b];
    }
  }

  SRCEXTRACT_HOST_DEVICE double sum(double u) const {
    const double square = u * u;
    return of[0] + of[1] * u + of[2] * (2 * square - 1) + of[3] * ((4 * square - 3) * u);
  }
};

}  // namespace srcextract
