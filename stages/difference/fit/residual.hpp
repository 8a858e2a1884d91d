#pragma once

#include "stages/difference/fit/fit_kernel.hpp"
#include "stages/difference/fit/reject_stamps.hpp"

namespace srcextract {

/// How bright stars differ from the fitted model: medians over the brightest quarter of the used stamps. Fainter stamps
/// are mostly noise.
struct StarResidual {
  /// The share of a star's light that the model misses, noise apart: the root of the median of (chi - expected chi) /
  /// (mean of model^2 / variance).
  double share;
  double variance;  ///< chi over the chi that noise alone would cause; far below 1 where the gain is wrong
};
StarResidual residual_of(const KernelFit& fit, const FramePair& frames, const std::vector<Stamp>& stamps,
                         int stamp_half, const std::vector<FieldTerms>& terms, const std::vector<StampSums>& sums,
                         const RobustSolution& solution, const Cpu& where);

}  // namespace srcextract
