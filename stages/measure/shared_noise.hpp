#pragma once

#include "stages/convolve/kernel.hpp"
#include "stages/core/stage_record.hpp"

namespace srcextract {

/// How much of their noise neighbouring pixels share, as in every resampled, drizzled or smoothed image.
struct SharedNoise {
  /// noise of the filtered image, divided by the noise that it would have if pixels were independent
  double factor = 1;
  /// sigma, in pixels, of the Gaussian by which independent pixels would have to be smoothed to get this factor; 0 if
  /// the factor is that of independent pixels
  double width = 0;
  bool in_errors = false;  ///< whether errors of fluxes take it into account

  bool operator==(const SharedNoise&) const = default;
};

inline void record_fields(const SharedNoise& noise, FieldRecorder& to) {
  to.value("factor of shared noise", noise.factor);
  to.value("width of shared noise", noise.width);
}

/// A factor below this is taken to be 1: the noise of an image of 1024 x 1024 independent pixels with sources has
/// factors of up to 1.02.
inline constexpr double least_shared_factor = 1.03;

/// Returns the width of the noise whose factor `kernel` makes `factor` (SharedNoise); 0 if the factor is below
/// least_shared_factor, or if the kernel has a negative weight, so that a factor may have two widths. Noise smoothed by
/// a Gaussian of sigma s has the correlation exp(-d^2 / 4 s^2) at distance d. At most 8 pixels.
double shared_noise_width(const Kernel& kernel, double factor);

}  // namespace srcextract
