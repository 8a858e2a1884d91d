#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "stages/crowd/crowd_field.hpp"

namespace srcextract {

/// The conditions that a maximum of the residual must meet to be a new star.
struct FindRule {
  /// Side of the squares that have one PSF each, and number of products of a column and a row that make up this PSF.
  static constexpr int square_side = 64, ranks = 2;

  double threshold = 5;     ///< least significance of a new star
  double blend = 1;         ///< least light of a new star, in units of the light of known stars there
  double separation = 0.3;  ///< least distance from any known star, in FWHM

  /// Half the side of the square of the PSF that the search uses: 2 FWHM, but at most `most` pixels.
  static std::int32_t half_of(double fwhm, std::int32_t most) {
    return std::min(most, static_cast<std::int32_t>(std::ceil(2 * fwhm)));
  }
};

/// Finds stars that the residual shows: local maxima of its significance, above the threshold. The significance is the
/// sum of weight times PSF times residual, over the root of the sum of weight times PSF squared. Each square of 64
/// pixels has the PSF of its middle, taken as two products of a column and a row.
///
/// Where known stars shine, a new star must be more than 2 `blend` times as significant as their light. Or it must
/// exceed `blend` times their light in significance and in its pixel. No star is found within two radii of a saturated
/// core, or nearer than FindRule::separation to a known star. Stars are in the order of their pixels; places are tops
/// of parabolas.
std::vector<CrowdStar> find_stars(const CrowdField& field, const CrowdPsf& psf, const std::vector<CrowdStar>& known,
                                  const FindRule& rule, std::int32_t turn);

}  // namespace srcextract
