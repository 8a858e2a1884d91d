#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stages/core/exec.hpp"

namespace srcextract {

/// A square of (2 half + 1)^2 values, row by row; the origin is its middle.
struct Square {
  int half = 0;
  std::vector<double> values;

  int side() const { return 2 * half + 1; }
  double at(int x, int y) const {
    if (x < -half || x > half || y < -half || y > half) return 0;
    return values[static_cast<std::size_t>(std::int64_t{y + half} * side() + x + half)];
  }
};

/// The noise of a difference. `white`: variance of a pixel of the frame that was not convolved. `convolved`: variance
/// of a pixel of the other frame before convolution by `kernel`.
struct DifferenceNoise {
  double white, convolved;
  Square kernel;

  double variance_of_pixel() const;
};

/// Divides the Fourier transforms of shapes by the spectrum of the noise, white + convolved |kernel|^2, relative to the
/// variance of a pixel. The results have the half width `half`, at most 16. The transforms have 64 x 64 points and a
/// fixed order, so the results have the same bits everywhere.
std::vector<Square> whiten(const std::vector<Square>& shapes, const DifferenceNoise& noise, int half, const Cpu& where);

/// The variance of sum(filter * noise), divided by its value for independent pixels of the same variance.
double correlation_of(const Square& filter, const DifferenceNoise& noise);

}  // namespace srcextract
