#pragma once

#include "stages/difference/fit/fitted_pixel.hpp"

namespace srcextract {

/// A view of a fit whose numbers lie in the memory of the back end.
inline FitView view_of(const KernelFit& fit, const double* basis, const double* coefficients, const Shape& shape) {
  const FieldOrders& orders = fit.coefficients.orders;
  return {.basis = basis,
          .coefficients = coefficients,
          .functions = fit.basis.size(),
          .half = fit.basis.half,
          .flux_terms = field_terms(orders.flux),
          .kernel_terms = field_terms(orders.kernel),
          .background_terms = field_terms(orders.background),
          .width = static_cast<double>(shape.width),
          .height = static_cast<double>(shape.height),
          .convolves_new = fit.convolves_new,
          .residual_square = fit.facts.residual * fit.facts.residual,
          .sky_variance = fit.facts.sky_variance,
          .to = fit.to,
          .correlation = fit.star.sizes.correlation,
          .convolved_correlation = fit.convolved_correlation};
}

/// The level of the frame that is convolved, and of the other, with their maps.
template <class Where>
FrameLevel with_map(FrameLevel level, const Image<float, Where>* map) {
  level.map = map == nullptr ? nullptr : map->pixels.data();
  return level;
}
template <class Where>
FrameLevel level_from(const KernelFit& fit, const FrameMaps<Where>& maps) {
  return with_map(fit.from, fit.convolves_new ? maps.fresh : maps.reference);
}
template <class Where>
FrameLevel level_to(const KernelFit& fit, const FrameMaps<Where>& maps) {
  return with_map(fit.to, fit.convolves_new ? maps.reference : maps.fresh);
}

/// The shape of a frame with half a kernel around it, and up to a whole number of tiles.
inline Shape padded_shape(const Shape& shape, int half) {
  const auto tiles = [](std::int64_t side) { return (side + fitted_tile - 1) / fitted_tile * fitted_tile; };
  return {tiles(shape.width) + 2 * std::int64_t{half}, tiles(shape.height) + 2 * std::int64_t{half}};
}

}  // namespace srcextract
