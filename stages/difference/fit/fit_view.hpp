#pragma once

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "stages/difference/fit/fitted_pixel.hpp"

namespace srcextract {

/// Returns the number of polynomial terms over the field for which there is a kernel (FitView::terms).
inline int kernel_terms(const KernelFit& fit) {
  return field_terms(std::max(fit.coefficients.orders.flux, fit.coefficients.orders.kernel));
}

/// Computes FitView::kernels. The kernel of a polynomial term is the sum of the basis functions times their
/// coefficients of this term, added in the order of the functions, and mirrored.
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

/// Returns the polynomial of one column of the coefficients: of a basis function, or of the background.
inline FieldPolynomial polynomial_of(const FieldCoefficients& all, int column) {
  FieldPolynomial polynomial{{}, all.terms(column)};
  std::copy_n(all.of_column(column), polynomial.terms, polynomial.coefficients);
  return polynomial;
}

/// Returns the half width in pixels of the central square of the kernel that has 99.9 % of the sum of the kernel's
/// squared values. The half width is computed at 3 x 3 positions of the field, and the largest is returned.
inline int half_of_square(const FitView& fit) {
  constexpr int places = 3;
  constexpr double nothing = 1e-3;
  int result = 0;
  for (int place = 0; place < places * places; ++place) {
    const int column = place % places, row = place / places;
    const FieldTerms at(column * (fit.width - 1) / (places - 1), row * (fit.height - 1) / (places - 1), fit.width,
                        fit.height);
    std::vector<double> within(static_cast<std::size_t>(fit.half) + 1, 0);
    for (int tap = 0; tap < fit.taps(); ++tap) {
      const auto value = static_cast<double>(fit.kernel_value(at, tap));
      const int reach = std::max(std::abs(tap % fit.side() - fit.half), std::abs(tap / fit.side() - fit.half));
      for (int half = reach; half <= fit.half; ++half) within[static_cast<std::size_t>(half)] += value * value;
    }
    while (within[static_cast<std::size_t>(result)] < (1 - nothing) * within.back()) ++result;
  }
  return result;
}

/// Makes the view of a fit for frames of this shape. `kernels` must be term_kernels() of the fit, and `in_memory` must
/// point to these kernels in the memory of the host or device that uses the view.
inline FitView view_of(const KernelFit& fit, const std::vector<double>& kernels, const double* in_memory,
                       const Shape& shape) {
  FitView view{.kernels = kernels.data(),
               .half = fit.basis.half,
               .terms = kernel_terms(fit),
               .square_half = 0,
               .counts = fit.convolves_new ? polynomial_of(fit.coefficients, 0) : FieldPolynomial{{1}, 1},
               .background = polynomial_of(fit.coefficients, fit.basis.size()),
               .width = static_cast<double>(shape.width),
               .height = static_cast<double>(shape.height),
               .sign = fit.convolves_new ? -1.0 : 1.0,
               .residual_square = fit.facts.residual * fit.facts.residual,
               .per_sky_variance = 1 / fit.facts.sky_variance,
               .to = fit.to,
               .excess_of_convolved = fit.convolved_correlation - 1,
               .excess_of_other = fit.other_correlation - 1,
               .per_correlation = 1 / fit.star.sizes.correlation};
  view.square_half = half_of_square(view);
  view.kernels = in_memory;
  return view;
}

template <class Where>
FrameLevel with_map(FrameLevel level, const Image<float, Where>* map) {
  level.map = map == nullptr ? nullptr : map->pixels.data();
  return level;
}
/// level_from() returns the level and map of the frame that is convolved, level_to() those of the other frame.
template <class Where>
FrameLevel level_from(const KernelFit& fit, const FrameMaps<Where>& maps) {
  return with_map(fit.from, fit.convolves_new ? maps.fresh : maps.reference);
}
template <class Where>
FrameLevel level_to(const KernelFit& fit, const FrameMaps<Where>& maps) {
  return with_map(fit.to, fit.convolves_new ? maps.reference : maps.fresh);
}

/// Allocates the images of `frames`, and returns pointers to their pixels.
template <class Where>
FrameImages make_frame_images(const Shape& shape, StarFrames<Where>& frames, const Where& where) {
  const auto take = [&](Image<float, Where>& image) {
    image = Image<float, Where>(shape, where);
    return image.pixels.data();
  };
  return {take(frames.reference), take(frames.noise_of_new), take(frames.noise_of_reference)};
}

/// Returns the shape of a frame, rounded up to whole tiles (squares of fitted_tile pixels that share a kernel), with a
/// margin of `half` pixels on every side.
inline Shape padded_shape(const Shape& shape, int half) {
  const auto tiles = [](std::int64_t side) { return (side + fitted_tile - 1) / fitted_tile * fitted_tile; };
  return {tiles(shape.width) + 2 * std::int64_t{half}, tiles(shape.height) + 2 * std::int64_t{half}};
}

}  // namespace srcextract
