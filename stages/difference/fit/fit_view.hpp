#pragma once

#include <algorithm>
#include <vector>

#include "stages/difference/fit/fitted_pixel.hpp"

namespace srcextract {

/// How many terms over the field a fit has kernels for.
inline int kernel_terms(const KernelFit& fit) {
  return field_terms(std::max(fit.coefficients.orders.flux, fit.coefficients.orders.kernel));
}

/// FitView::kernels: for each term the functions of the basis times its coefficients, added in their order.
inline std::vector<double> term_kernels(const KernelFit& fit) {
  const int taps = fit.basis.taps(), terms = kernel_terms(fit);
  std::vector<double> kernels(static_cast<std::size_t>(std::int64_t{terms} * taps), 0);
  for (int f = 0; f < fit.basis.size(); ++f) {
    const double* const values = fit.basis.values.data() + std::int64_t{f} * taps;
    for (int k = 0; k < fit.coefficients.terms(f); ++k) {
      const double weight = fit.coefficients.of_column(f)[k];
      double* const kernel = kernels.data() + std::int64_t{k} * taps;
      for (int tap = 0; tap < taps; ++tap) kernel[tap] += weight * values[taps - 1 - tap];
    }
  }
  return kernels;
}

/// The polynomial of a column.
inline FieldPolynomial polynomial_of(const FieldCoefficients& all, int column) {
  FieldPolynomial polynomial{{}, all.terms(column)};
  std::copy_n(all.of_column(column), polynomial.terms, polynomial.coefficients);
  return polynomial;
}

/// A view of a fit whose term_kernels() lie in the memory of the back end.
inline FitView view_of(const KernelFit& fit, const double* kernels, const Shape& shape) {
  return {.kernels = kernels,
          .half = fit.basis.half,
          .terms = kernel_terms(fit),
          .flux = polynomial_of(fit.coefficients, 0),
          .background = polynomial_of(fit.coefficients, fit.basis.size()),
          .width = static_cast<double>(shape.width),
          .height = static_cast<double>(shape.height),
          .convolves_new = fit.convolves_new,
          .residual_square = fit.facts.residual * fit.facts.residual,
          .per_sky_variance = 1 / fit.facts.sky_variance,
          .to = fit.to};
}

/// The shape of a frame with half a kernel around it, and up to a whole number of tiles.
inline Shape padded_shape(const Shape& shape, int half) {
  const auto tiles = [](std::int64_t side) { return (side + fitted_tile - 1) / fitted_tile * fitted_tile; };
  return {tiles(shape.width) + 2 * std::int64_t{half}, tiles(shape.height) + 2 * std::int64_t{half}};
}

}  // namespace srcextract
