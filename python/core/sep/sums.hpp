#pragma once

#include <cstdint>

#include "python/core/sep/ellipse.hpp"

// Sums over ellipses without masked pixels and with constant noise. The sums use vectors with one partial sum per
// position in a block, so that results do not depend on the processor.

namespace srcextract::python {

/// Sums over the pixels of an ellipse.
struct EllipseSums {
  double light = 0;
  double moment = 0;  ///< light times distance; if requested
  std::int64_t count = 0;
};

/// Sums over partial pixels.
struct PartSums {
  double light = 0, area = 0;
};

/// An ellipse around (x, y).
struct SepEllipse {
  double x, y;
  EllipseForm form;
};

/// The pixels of a box: the first pixel, the stride of rows, and the end of readable memory.
template <class T>
struct BoxPixels {
  const T* first;
  std::int64_t stride;
  const T* end;

  /// Sums over pixels with a squared distance of at most `square`, or below it for sum_whole().
  EllipseSums sum_moments(const SepBox& box, const SepEllipse& at, double square) const;
  EllipseSums sum_whole(const SepBox& box, const SepEllipse& at, double square) const;

  /// Sums over an ellipse with sub-pixels and no hole.
  PartSums sum_parts(const SepBox& box, const SepEllipse& at, const SepAnnulus& annulus) const;
};

}  // namespace srcextract::python
