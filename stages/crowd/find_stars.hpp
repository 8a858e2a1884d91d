#pragma once

#include <cstdint>
#include <vector>

#include "stages/crowd/crowd_field.hpp"

namespace srcextract {

/// What a residual must have to be a new star.
struct FindRule {
  double threshold = 5;     ///< significance
  double blend = 1;         ///< new light over that of known stars, at least
  double separation = 0.3;  ///< from any known star, in FWHM
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
