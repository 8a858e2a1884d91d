#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "stages/crowd/crowd_field.hpp"

namespace srcextract {

/// The conditions that a maximum of the residual must meet to be a new star.
struct FindRule {
  /// Side of the squares, and of how many products of a column and a row their PSF is.
  static constexpr int square_side = 64, ranks = 2;

  double threshold = 5;     ///< significance
  double blend = 1;         ///< new light over that of known stars, at least
  double separation = 0.3;  ///< from any known star, in FWHM

  /// Half of the square on which the PSF counts.
  static std::int32_t half_of(double fwhm, std::int32_t most) {
    return std::min(most, static_cast<std::int32_t>(std::ceil(2 * fwhm)));
  }
};

/// Stars that the residual shows: local maxima of significance, that of the PSF in the middle of each square of 64
/// pixels (sum of weight times PSF times residual, over the root of that of weight times PSF squared). The PSF is
/// taken as two products of a column and a row.
/// Where known stars shine, a new one must be as significant as `blend` times twice their light, or brighter in its
/// pixel than `blend` times theirs. None is found within two radii of a saturated core. In the order of their pixels;
/// places are tops of parabolas.
std::vector<CrowdStar> find_stars(const CrowdField& field, const CrowdPsf& psf, const std::vector<CrowdStar>& known,
                                  const FindRule& rule, std::int32_t turn);

}  // namespace srcextract
