#pragma once

#include "stages/difference/fit/fit_kernel.hpp"
#include "stages/difference/fit/reject_stamps.hpp"

namespace srcextract {

/// What a fit misses of the light of a star, as a share, beyond noise: the root of the median, over the brightest
/// quarter of the stamps used, of (chi - expected chi) / (mean of model^2 / variance). Fainter stamps tell only of
/// noise.
double residual_of(const KernelFit& fit, const FramePair& frames, const std::vector<Stamp>& stamps, int stamp_half,
                   const std::vector<FieldTerms>& terms, const std::vector<StampSums>& sums,
                   const RobustSolution& solution);

}  // namespace srcextract
