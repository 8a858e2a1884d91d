#pragma once

#include <functional>

#include "stages/background.hpp"
#include "stages/fixed_sum.hpp"
#include "stages/rank_search.hpp"

namespace srcextract {

/// The two ways in which the clip looks at an image; each back end brings its own.
struct PixelReductions {
  std::function<IntervalSums(const Interval&)> sum_interval;
  RankSearch::CountBins count_bins;
};

/// The kappa-sigma clip itself (stages/background.hpp has the contract). Every clipped set is an interval of values,
/// so nothing is moved: a round is one sum over an interval and, mostly from counts already made, one median.
Background clip(const BackgroundConfig& config, const PixelReductions& pixels);

}  // namespace srcextract
