#pragma once

#include <vector>

#include "stages/difference/fit/kernel_basis.hpp"
#include "stages/difference/fit/reject_stamps.hpp"

namespace srcextract {

/// Solves once more over the stamps of a solution, with less of the noise of the frame that is convolved. This noise is
/// in every column that a function of the basis makes of that frame, so it adds to their products, but not to those
/// with the other frame: least squares then take the finest functions for smaller than they are, and the kernel is too
/// wide (errors in variables; Fuller 1987, Measurement Error Models, section 2.2). The noise that is expected of white
/// noise is subtracted from the products, but for a part that keeps the finest functions from being noise alone.
///
/// `share` is the part of the variance of a pixel that comes from the frame that is convolved. The solution stays as it
/// is where less noise is in the products than expected, as in frames that were smoothed or resampled.
void remove_noise(const std::vector<StampSums>& sums, const std::vector<FieldTerms>& terms, const KernelBasis& basis,
                  double share, RobustSolution& solution, const Cpu& where);

}  // namespace srcextract
