#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "stages/crowd/crowd_field.hpp"

namespace srcextract {

/// The conditions for a local maximum of the residual's significance to be a new star.
struct FindRule {
  /// The search uses one PSF for each square of square_side pixels, approximated by `ranks` products of a column and a
  /// row.
  static constexpr int square_side = 64, ranks = 2;

  double threshold = 5;  ///< smallest significance of a new star, in sigma
  double blend = 1;      ///< smallest light of a new star, as a multiple of the light of known stars at the same pixel
  double separation = 0.3;  ///< smallest distance from any known star, in FWHM

  /// Half the side, in pixels, of the PSF that the search uses: 2 FWHM, but at most `most`.
  static std::int32_t half_of(double fwhm, std::int32_t most) {
    return std::min(most, static_cast<std::int32_t>(std::ceil(2 * fwhm)));
  }
};

/// The result of a search for new stars.
struct FoundStars {
  std::vector<CrowdStar> stars;
  double shared_noise = 1;  ///< scatter of the significance where there is no star (stages/crowd/shared_noise.hpp)
};

/// Finds new stars: local maxima of the significance of the residual that exceed rule.threshold times the shared noise.
/// The significance at a pixel is (sum of weight * PSF * residual) / sqrt(sum of weight * PSF^2), with the PSF centred
/// on the pixel.
///
/// A new star must also stand out from the light of known stars. Either its significance exceeds 2 rule.blend times the
/// significance of that light. Or its significance and its residual in the pixel both exceed rule.blend times those of
/// that light. It must be a peak, and not the top of light that is larger than a star: PeakRules::is_above_ridge(). A
/// star within two radii of a saturated core, or nearer than rule.separation to a known star, is
/// rejected.
///
/// Stars are returned in raster order. Positions are the tops of parabolas through the significance. `turn` is stored
/// in each new star.
FoundStars find_stars(const CrowdField& field, const CrowdPsf& psf, const std::vector<CrowdStar>& known,
                      const FindRule& rule, std::int32_t turn);

/// Returns the shared noise of the residual of a fit.
double measure_shared_noise(const CrowdField& field, const CrowdPsf& psf);

}  // namespace srcextract
