#pragma once

#include "stages/difference/fit/whitening.hpp"

namespace srcextract {

/// Variance of a star's flux due to its own photons, per count of flux, for a gain of 1 e-/count. The pixels' variances
/// (variance_at) already contain a part of this variance. That part is not exact: photon noise is averaged over 3 x 3
/// pixels, and photons that the kernel spread over several pixels are treated as independent.
struct OwnPhotons {
  double of_other = 0;      ///< part that the pixels' variances leave out, for light in the frame that is not convolved
  double of_convolved = 0;  ///< the same for light in the convolved frame, per count before the convolution
  double counted_of_other = 0, counted_of_convolved = 0;  ///< part that the pixels' variances contain
};

/// Computes the photon variance of a flux measured as sum(f d) / sum(f p). d is the difference, f the filter, and p the
/// shape of a star of flux 1 in the difference. `sharp` is the star's shape before the convolution by `kernel`. Photons
/// in the frame that is not convolved add sum(f^2 p) to the variance of sum(f d). Photons in the convolved frame add
/// sum(sharp (f * kernel)^2), where * is a correlation. If resampled pixels share their noise, one factor f or f *
/// kernel of each square is correlated with the covariance of the noise. `noise` has the kernel and the covariances.
/// `counted` is a factor by which the pixels' variances of convolved noise are multiplied for its correlation. These
/// variances contain noise.convolved_factor().
OwnPhotons own_photons(const Square& filter, const Square& shape, const Square& sharp, const DifferenceNoise& noise,
                       double counted = 1);

/// Returns a round Moffat profile of flux 1 with beta = 3 and the given FWHM in pixels (Moffat 1969, A&A 3, 455).
Square moffat_of(double fwhm);

}  // namespace srcextract
