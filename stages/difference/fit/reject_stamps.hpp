#pragma once

#include <vector>

#include "stages/difference/fit/solve.hpp"
#include "stages/settings/difference.hpp"

namespace srcextract {

/// Least number of stamps (squares of pixels around stars) for a fit of the kernel.
inline constexpr std::size_t least_stamps = 3;

/// A solution of the kernel fit, made from the stamps that agree with the solution.
struct RobustSolution {
  FieldCoefficients coefficients;
  /// Indices of the stamps that were used; if fewer than least_stamps, there is no solution.
  std::vector<std::size_t> used;
  std::vector<StampFit> fits;  ///< of all stamps, also of those that were not used
  double chi_median = 0;       ///< median of StampFit::chi over the used stamps
  int iterations = 0;
};

/// Solves for the kernel, rejects the stamps that do not fit, and repeats both until the set of used stamps stays the
/// same, at most 10 times. `terms` has the values of the polynomials' terms at the middle of each stamp.
RobustSolution solve_robustly(const std::vector<StampSums>& sums, const std::vector<FieldTerms>& terms,
                              const DifferenceConfig& config, const Cpu& where);

}  // namespace srcextract
