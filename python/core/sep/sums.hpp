#pragma once

#include <cstdint>

#include "python/core/sep/ellipse.hpp"

// Sums over ellipses in which no pixel is masked and all are as noisy: in vectors, with partial sums by the place of a
// pixel in its block, whatever the processor.

namespace srcextract::python {

/// What is within an ellipse.
struct EllipseSums {
  double light = 0;
  double moment = 0;  ///< light times the root of the square of its distance; if asked for
  std::int64_t count = 0;
};

/// The same of pixels by their parts.
struct PartSums {
  double light = 0, area = 0;
};

/// Where rows cut an ellipse about (x, y).
struct SepEllipse {
  double x, y;
  EllipseForm form;
};

/// The pixels of a box: the first of them, how many there are from row to row, and where reading has to end.
template <class T>
struct BoxPixels {
  const T* first;
  std::int64_t stride;
  const T* end;

  /// Over pixels whose square is at most that, or less than that without a moment.
  EllipseSums sum_moments(const SepBox& box, const SepEllipse& at, double square) const;
  EllipseSums sum_whole(const SepBox& box, const SepEllipse& at, double square) const;

  /// Over the pixels of an ellipse that has sub-pixels and no hole.
  PartSums sum_parts(const SepBox& box, const SepEllipse& at, const SepAnnulus& annulus) const;
};

}  // namespace srcextract::python
