#pragma once

#include "stages/difference/fit/fit_kernel.hpp"
#include "stages/difference/fit/reject_stamps.hpp"

namespace srcextract {

/// The share of a star's light that the fitted model misses, noise apart. It is the root of a median over the brightest
/// quarter of the used stamps: the median of (chi - expected chi) / (mean of model^2 / variance). Fainter stamps are
/// mostly noise.
double residual_of(const KernelFit& fit, const FramePair& frames, const std::vector<Stamp>& stamps, int stamp_half,
                   const std::vector<FieldTerms>& terms, const std::vector<StampSums>& sums,
                   const RobustSolution& solution);

}  // namespace srcextract
