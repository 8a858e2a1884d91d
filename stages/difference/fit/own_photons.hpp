#pragma once

#include "stages/difference/fit/whitening.hpp"

namespace srcextract {

/// Variance of a star's flux by its own photons, beyond the part that the pixels' variances already contain. It is per
/// count of flux, for a gain of 1 e-/count. The pixels' variances smooth photons over 3 x 3 pixels, and treat photons
/// that the kernel spread as independent.
struct OwnPhotons {
  double of_other = 0;      ///< for light in the frame that is not convolved
  double of_convolved = 0;  ///< for light in the convolved frame, in its counts before the kernel
  double counted_of_other = 0, counted_of_convolved = 0;  ///< the part that the pixels' variances contain
};

/// Returns the photon variance that the pixels' variances leave out of a flux sum(f d) / sum(f p). Here d is the
/// difference, f the filter, and p the shape of a star of flux 1 in the difference. `sharp` is the star's shape before
/// `kernel` convolved it. Photons in the frame that is not convolved add sum(f^2 p) to the variance of sum(f d).
/// Photons in the convolved frame add sum(sharp (f * kernel)^2), where * is a correlation.
/// `counted`: factor of the variance that the pixels assign to photons that the kernel has spread.
OwnPhotons own_photons(const Square& filter, const Square& shape, const Square& sharp, const Square& kernel,
                       double counted = 1);

/// A round Moffat profile of flux 1 with beta = 3 and the given FWHM in pixels (Moffat 1969, A&A 3, 455).
Square moffat_of(double fwhm);

}  // namespace srcextract
