#pragma once

#include "stages/difference/fit/fit_kernel.hpp"
#include "stages/difference/fit/stamp_sums.hpp"

namespace srcextract {

/// How the noise that a fit leaves compares with the noise that was measured in its frames.
struct NoiseOfResidual {
  /// Variance of the sky that the residual has, divided by the variance that the levels of the frames (FrameLevel) give
  /// it. In a crowd it is far below 1, for the stars count as noise of a frame, and the fit subtracts them.
  double sky = 1;
  /// Whether pixels of the residual differ from their neighbours as much as pixels of the frame that is not convolved.
  /// If not, both frames share their noise, as copies of one exposure do.
  bool is_own = true;
};

/// Measures both at 64 squares of 12 pixels that are spread over the frames. The photon noise that a gain gives is
/// expected besides the noise of the sky. Medians are used, so that changes do not count.
NoiseOfResidual noise_of_residual(const KernelFit& fit, const FramePair& frames, const Cpu& where);

}  // namespace srcextract
