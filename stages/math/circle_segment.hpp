#pragma once

#include <cmath>

#include "stages/core/host_device.hpp"

namespace srcextract {

/// The area of the segment between a circle of radius 1 and a chord of half length s in [0, 1]: arcsin s - s sqrt(1 -
/// s^2). The relative error is at most 1e-15. The code uses only + - * / and square roots, which round the same on host
/// and GPU.
///
/// For a short chord the area is the power series s^3 2/3 (1 + 3/10 s^2 (1 + ...)), whose first omitted term is below
/// 2e-20 of the sum. The segment of a longer chord is split into a triangle, from the chord to the middle of the arc,
/// and two equal segments of half the angle.
SRCEXTRACT_HOST_DEVICE inline double circle_segment(double s) {
  constexpr double short_square = 0.04;
  constexpr int terms = 12;
  double triangles = 0, copies = 1, square = s * s;
  while (square > short_square) {
    const double beside = 1 + std::sqrt((1 - s) * (1 + s));
    triangles += copies * s * square / beside;
    copies *= 2;
    square /= 2 * beside;
    s = std::sqrt(square);
  }
  double series = 1;
  for (int n = terms; n >= 1; --n)
    series = 1 + square * series * ((2.0 * n - 1) * (2.0 * n + 1) / (2.0 * n * (2.0 * n + 3)));
  return triangles + copies * (2.0 / 3 * square * s * series);
}

}  // namespace srcextract
