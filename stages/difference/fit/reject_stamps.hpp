#pragma once

#include <vector>

#include "stages/difference/fit/solve.hpp"
#include "stages/settings/difference.hpp"

namespace srcextract {

/// Fewer stamps than this do not determine a kernel.
inline constexpr std::size_t least_stamps = 3;

/// A solution of the kernel fit, from the stamps that agree with it.
struct RobustSolution {
  FieldCoefficients coefficients;
  std::vector<std::size_t> used;  ///< fewer than least_stamps: there is no solution
  std::vector<StampFit> fits;     ///< of all stamps
  double chi_median = 0;          ///< of the used stamps
  int iterations = 0;
};

/// Solves for the kernel, rejects the stamps that do not fit, and repeats until the used stamps stay the same, at most
/// 10 times.
RobustSolution solve_robustly(const std::vector<StampSums>& sums, const std::vector<FieldTerms>& terms,
                              const DifferenceConfig& config, const Cpu& where);

}  // namespace srcextract
