#pragma once

#include <vector>

#include "stages/difference/fit/kernel_basis.hpp"
#include "stages/difference/fit/reject_stamps.hpp"

namespace srcextract {

/// Solves again over the stamps of a solution, after subtracting a part of the convolved frame's noise from the sums.
/// This noise is in every column that a function of the basis makes of the frame. It adds to the products of two such
/// columns, but not to their products with the other frame. Least squares then underestimate the finest functions, and
/// the kernel is too wide (errors in variables; Fuller 1987, Measurement Error Models, section 2.2). Only half of the
/// expected white noise is subtracted, so that the finest functions do not become noise.
///
/// `share` is the part of the variance of a pixel that comes from the frame that is convolved. The solution stays
/// unchanged if the products contain less noise than expected, as for frames that were smoothed or resampled. It also
/// stays unchanged if the new solution fits the stamps worse by more than a tenth.
void remove_noise(const std::vector<StampSums>& sums, const std::vector<FieldTerms>& terms, const KernelBasis& basis,
                  double share, RobustSolution& solution, const Cpu& where);

}  // namespace srcextract
