#pragma once

#include <vector>

#include "stages/difference/fit/kernel_basis.hpp"
#include "stages/difference/fit/reject_stamps.hpp"

namespace srcextract {

/// Corrects a solution for the noise of the convolved frame: subtracts the expected effect of the noise from the sums
/// over stamps (squares of pixels around stars), and solves again. Each column that a basis function makes of the
/// convolved frame (StampSums) contains the frame's noise. The noise increases the products of two of these columns,
/// but not their products with the other frame. Without correction, least squares underestimate the coefficients of the
/// narrowest functions, and the kernel is too wide (errors in variables; Fuller 1987, Measurement Error Models, section
/// 2.2). Only half of the effect that white noise would have is subtracted, so that noise does not determine the
/// narrowest functions.
///
/// `share` is the fraction of a pixel's variance that comes from the convolved frame. `solution` stays unchanged if the
/// products contain less noise than expected, as for frames that were smoothed or resampled. `solution` also stays
/// unchanged if the new solution increases the sum of chi^2 over the stamps by more than a tenth.
void remove_noise(const std::vector<StampSums>& sums, const std::vector<FieldTerms>& terms, const KernelBasis& basis,
                  double share, RobustSolution& solution, const Cpu& where);

}  // namespace srcextract
