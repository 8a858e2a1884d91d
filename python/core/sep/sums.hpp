#pragma once

#include <cstdint>

#include "python/core/sep/ellipse.hpp"

// Sums over ellipses without masked pixels and with constant noise. The sums use vectors with one partial sum per
// position in a block, so that results do not depend on the processor. Pixels may be double, and a lane begins where
// the ellipse does, so these are not the sums of stages/photometry/lanes.hpp.

namespace srcextract::python {

/// Sums over the pixels of an ellipse.
struct EllipseSums {
  double light = 0, area = 0;
  double moment = 0;  ///< light times distance; if requested
};

/// The pixels that a box covers: address of the first pixel, stride of rows, and end of readable memory.
template <class T>
struct BoxPixels {
  const T* first;
  std::int64_t stride;
  const T* end;

  /// The pixels of an image in a box.
  static BoxPixels of(const T* pixels, const Shape& shape, const SepBox& box) {
    return {pixels + box.y_begin * shape.width + box.x_begin, shape.width, pixels + shape.count()};
  }

  /// Sums over the pixels whose squared distance is at most `square`; for sum_whole(), below `square`.
  EllipseSums sum_moments(const SepBox& box, const SepEllipse& at, double square) const;
  EllipseSums sum_whole(const SepBox& box, const SepEllipse& at, double square) const;

  /// Sums over an ellipse without a hole, with partial pixels at its edge by sub-pixels.
  EllipseSums sum_parts(const SepBox& box, const SepAnnulus& annulus) const;

  /// Returns the sum of `count` neighbouring pixels of a row, from `pixels` on.
  static double sum_stretch(const T* pixels, std::int64_t count);
};

}  // namespace srcextract::python
