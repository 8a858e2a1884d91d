#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stages/core/exec.hpp"

namespace srcextract {

/// A square of (2 half + 1)^2 values, row by row. The middle has the coordinates (0, 0). Values outside of the square
/// are 0.
struct Square {
  int half = 0;
  std::vector<double> values;

  int side() const { return 2 * half + 1; }
  double at(int x, int y) const {
    if (x < -half || x > half || y < -half || y > half) return 0;
    return values[static_cast<std::size_t>(std::int64_t{y + half} * side() + x + half)];
  }
};

/// The noise of the sky in a difference. `white` is the variance of a pixel of the frame that is not convolved, and
/// `convolved` that of the other frame before the convolution by `kernel`. Pixels of a resampled frame share noise:
/// `of_white` and `of_convolved` give its covariances, up to a factor; null: pixels are independent.
struct DifferenceNoise {
  double white, convolved;
  Square kernel;
  const Square *of_white = nullptr, *of_convolved = nullptr;

  double variance_of_pixel() const;
  /// Returns the variance that the convolution leaves of the convolved frame's noise, divided by what it would leave if
  /// pixels were independent.
  double convolved_factor() const;
};

/// Divides the Fourier transform of each shape by the power spectrum of the noise, white + convolved |transform of the
/// kernel|^2, and transforms back. The spectrum is in units of the variance of a pixel. Where frames are resampled,
/// both variances are multiplied by the spectra of their noise, of which `white` keeps a tenth at all frequencies: the
/// shape of a star is not known where resampling leaves nothing of it. The results have the half width `half`, which
/// must be at most 16. The transforms have 64 x 64 points and a fixed order of operations, so results are equal to the
/// last bit on all machines.
std::vector<Square> whiten(const std::vector<Square>& shapes, const DifferenceNoise& noise, int half, const Cpu& where);

/// Returns the variance of sum(filter * noise), divided by the value that independent pixels of the same variance would
/// give.
double correlation_of(const Square& filter, const DifferenceNoise& noise);

}  // namespace srcextract
