#pragma once

#include <cstdint>
#include <vector>

namespace srcextract::testing {

/// What a kappa-sigma clip finds.
struct SortedClip {
  std::int64_t count = 0;
  double mean = 0, median = 0, sigma = 0;
  float min = 0, max = 0;
  std::int64_t iterations = 0;
  bool converged = false;
};

/// The clip as one would write it first on a device, out of library calls: all pixels sorted, running sums of them and
/// of their squares, and a round is a search for each end. Slow and obvious. There is an unmasked pixel; 0 = no limit.
SortedClip sorted_clip(const std::vector<float>& pixels, double kappa, std::int64_t max_iterations);

}  // namespace srcextract::testing
