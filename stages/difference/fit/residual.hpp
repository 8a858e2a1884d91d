#pragma once

#include "stages/difference/fit/fit_kernel.hpp"
#include "stages/difference/fit/reject_stamps.hpp"

namespace srcextract {

/// Differences between bright stars and the fitted model. Both values are medians over the brightest quarter of the
/// used stamps (squares of pixels around stars), at most 40, since fainter stamps are mostly noise.
struct StarResidual {
  /// The fraction of a star's light that the model misses and noise does not explain: the square root of the median of
  /// (chi - expected chi) / (mean of model^2 / variance), or 0 if this median is negative. chi is the mean of
  /// residual^2 / variance (StampFit::chi).
  double share;
  double variance;  ///< chi divided by the chi that noise alone would cause; far below 1 if the gain is wrong
};
StarResidual residual_of(const KernelFit& fit, const FramePair& frames, const std::vector<Stamp>& stamps,
                         int stamp_half, const std::vector<FieldTerms>& terms, const std::vector<StampSums>& sums,
                         const RobustSolution& solution, const Cpu& where);

}  // namespace srcextract
