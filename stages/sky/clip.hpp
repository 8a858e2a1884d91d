#pragma once

#include <cmath>
#include <limits>

#include "stages/sky/background.hpp"
#include "stages/sky/deviation_sums.hpp"

namespace srcextract {

/// The kappa-sigma clipping of estimate_background (stages/sky/background.hpp), for CPU and GPU. Every clipped set is
/// the set of pixels in an interval of values, so no pixel is moved. An iteration needs one sum over an interval and
/// one median. `Pixels` provides:
///   SumGrid grid(); void set_grid(SumGrid);
///   double zero_share(): the fraction of zeros in a sample
///   const PixelSums& sum(Interval): each interval must be inside the interval of the previous call
///   double median(below, count): the median of the `count` pixels that follow the `below` smallest pixels
///   Extremes extremes(Interval): smallest and largest pixel in the interval of the last or last but one sum()
///
/// Sums round deviations to multiples of a step that SumGrid defines. For a set much narrower than the grid's scale, or
/// far from the grid's centre, sums would have few significant digits. A set of this kind is summed again on a grid
/// made for it. The change of grid affects results, so all implementations must change the grid in the same cases.
template <class Pixels>
SRCEXTRACT_HOST_DEVICE Background clip(double kappa, std::int64_t max_iterations, Pixels& pixels) {
  const auto statistics = [&](const PixelSums* sums, const Interval& interval) {
    Statistics s;
    s.count = sums->count;
    s.median = pixels.median(sums->below, sums->count);
    Moments moments;
    for (;;) {
      const SumGrid grid = pixels.grid();
      moments = moments_of(*sums, grid);
      double width = sqrt(moments.variance);
      if (width >= grid.scale / 8 && fabs(grid.deviation(static_cast<float>(s.median))) <= 256 * width) break;
      if (width == 0) {  // the set is narrower than the grid resolves
        const Extremes extremes = pixels.extremes(interval);
        width = static_cast<double>(extremes.largest) - extremes.smallest;
        if (width == 0) break;
      }
      pixels.set_grid({static_cast<float>(s.median), power_of_two_below(width)});
      sums = &pixels.sum(interval);
    }
    s.mean = pixels.grid().centre + moments.mean;
    s.sigma = sqrt(moments.variance);
    return s;
  };
  const auto bound = [&](Statistics& s, const Interval& interval) {
    const Extremes extremes = pixels.extremes(interval);
    s.min = extremes.smallest + 0.0F;  // -0 becomes +0
    s.max = extremes.largest + 0.0F;
  };

  constexpr float infinity = std::numeric_limits<float>::infinity();
  Background background;
  Statistics& current = background.clipped;
  Interval kept{-infinity, infinity};
  Interval next = kept;
  for (bool first = true;; first = false) {
    const PixelSums& sums = pixels.sum(next);
    background.converged = !first && sums.count == current.count;
    // If kappa is so small that no pixel is left, the previous set, which has pixels, is the result.
    if (background.converged || sums.count == 0) break;
    current = statistics(&sums, next);
    kept = next;
    if (first) {
      background.zero_share = pixels.zero_share();
      bound(current, kept);
      background.all = current;
    } else {
      ++background.iterations;
    }
    background.converged = current.sigma == 0;
    if (background.converged || (max_iterations > 0 && background.iterations == max_iterations)) break;
    const double reach = kappa * current.sigma;
    next = Interval{floor_to_float(current.median - reach), ceil_to_float(current.median + reach)}.within(kept);
  }
  if (background.iterations > 0) bound(background.clipped, kept);
  return background;
}

}  // namespace srcextract
