#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stages/core/exec.hpp"

namespace srcextract {

/// A square of values, row by row, of which the middle is the origin.
struct Square {
  int half = 0;
  std::vector<double> values;

  int side() const { return 2 * half + 1; }
  double at(int x, int y) const {
    if (x < -half || x > half || y < -half || y > half) return 0;
    return values[static_cast<std::size_t>(std::int64_t{y + half} * side() + x + half)];
  }
};

/// The noise of a difference: `white` of the frame that was not convolved, and `convolved` of the other frame, before
/// `kernel` convolved it. Both are variances of a pixel.
struct DifferenceNoise {
  double white, convolved;
  Square kernel;

  double variance_of_pixel() const;
};

/// Divides shapes by the spectrum of the noise, white + convolved |kernel|^2, relative to the variance of a pixel. The
/// results have a half width of `half`, at most 16. The Fourier transforms have 64 x 64 points and a fixed order, so
/// the result has the same bits everywhere.
std::vector<Square> whiten(const std::vector<Square>& shapes, const DifferenceNoise& noise, int half, const Cpu& where);

/// The variance of noise that was multiplied by the filter and summed, relative to noise of independent pixels of the
/// same variance.
double correlation_of(const Square& filter, const DifferenceNoise& noise);

}  // namespace srcextract
