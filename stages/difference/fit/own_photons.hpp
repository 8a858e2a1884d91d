#pragma once

#include "stages/difference/fit/whitening.hpp"

namespace srcextract {

/// The variance that a star's own photons add to its flux, beyond what the noise of pixels says of them. Per count of
/// flux, for a gain of 1 e-/count. That noise spreads photons over 3 x 3 pixels, and takes those that the kernel
/// has spread for independent.
struct OwnPhotons {
  double of_other = 0;      ///< light in the frame that is not convolved
  double of_convolved = 0;  ///< light in the other frame, in counts that the kernel has not scaled
  double counted_of_other = 0, counted_of_convolved = 0;  ///< what the noise of pixels says of them
};

/// Returns what the noise of pixels leaves out of the variance of a flux sum(f d) / sum(f p). Here d is the difference,
/// f the filter, and p the shape of a star of flux 1 in the difference. `sharp` is that shape before `kernel` convolved
/// it. Photons add sum(f^2 p) to the variance of sum(f d) in the frame that is not convolved. In the other they add
/// sum(sharp (f * kernel)^2), where * is a correlation.
/// `counted`: how much the noise of pixels takes of photons that the kernel has spread.
OwnPhotons own_photons(const Square& filter, const Square& shape, const Square& sharp, const Square& kernel,
                       double counted = 1);

/// A round Moffat profile of flux 1 with beta = 3, of this FWHM in pixels (Moffat 1969, A&A 3, 455).
Square moffat_of(double fwhm);

}  // namespace srcextract
