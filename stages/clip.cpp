#include "stages/clip.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stages/core/error.hpp"

namespace srcextract {

namespace {

Statistics to_statistics(const IntervalSums& sums, double centre, RankSearch& ranks) {
  const auto n = static_cast<double>(sums.count);
  Statistics s;
  s.count = sums.count;
  s.mean = centre + sums.sum / n;
  s.median = ranks.median(sums.below, sums.count);
  s.sigma = std::sqrt(std::max(0.0, (sums.square - sums.sum * (sums.sum / n)) / n));
  s.min = value_of_signed_key(sums.min_key);
  s.max = value_of_signed_key(sums.max_key);
  return s;
}

}  // namespace

Background clip(const BackgroundConfig& config, const PixelReductions& pixels) {
  RankSearch ranks(pixels.count_bins);
  if (ranks.count() == 0) {
    throw Error(ErrorKind::input, "every pixel is masked (NaN, infinite or BLANK): there is no sky to measure");
  }
  constexpr float infinity = std::numeric_limits<float>::infinity();
  Interval interval{-infinity, infinity, ranks.median(0, ranks.count())};

  Background background;
  background.zeros = ranks.zeros();
  background.all = to_statistics(pixels.sum_interval(interval), interval.centre, ranks);
  background.clipped = background.all;
  for (;;) {
    const Statistics& current = background.clipped;
    background.converged = current.sigma == 0;
    if (background.converged) return background;
    if (config.max_iterations > 0 && background.iterations == config.max_iterations) return background;

    const double reach = config.kappa * current.sigma;
    interval.lower = std::max(interval.lower, floor_to_float(current.median - reach));
    interval.upper = std::min(interval.upper, ceil_to_float(current.median + reach));
    const IntervalSums sums = pixels.sum_interval(interval);
    background.converged = sums.count == current.count;
    // A kappa so small that nothing is left says nothing about the sky: the last set that was not empty stands.
    if (background.converged || sums.count == 0) return background;
    background.clipped = to_statistics(sums, interval.centre, ranks);
    ++background.iterations;
  }
}

}  // namespace srcextract
