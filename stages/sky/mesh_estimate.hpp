#pragma once

#include <cmath>
#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/math/normal_quantile.hpp"
#include "stages/settings/background.hpp"

// Estimates the sky of one mesh as SExtractor does (Bertin & Arnouts 1996, "Background estimation"):
// - a cut at 2 sigma about the mean of all pixels;
// - a histogram of all pixels within 5 sigma of the mean, with mean and sigma of the pixels that survive the cut;
// - kappa-sigma clipping about the median within the histogram.
//
// Code that CPU and GPU share is here; each of them gathers the pixels itself.

namespace srcextract {

/// Size of the table of accumulators in which the pixels of a mesh are summed. Pixel (x, y) of the mesh is added to
/// accumulator (x mod sum_columns, y mod sum_rows), row by row and from left to right. Then the rows of the table are
/// added as (0 + 1) + (2 + 3), and its columns in halves: c and c + 32, c and c + 16, and so on. CPU and GPU must keep
/// this order, since float rounding depends on it.
inline constexpr int sum_columns = 64;
inline constexpr int sum_rows = 4;

inline constexpr int most_mesh_bins = 4096;

/// Number, sum and sum of squares of those pixels of a mesh that are in a range of values.
struct MeshSums {
  std::int64_t count;
  double sum, squares;
};

struct MeanAndSigma {
  double mean, sigma;
};

SRCEXTRACT_HOST_DEVICE inline MeanAndSigma mean_and_sigma(const MeshSums& sums) {
  const auto count = static_cast<double>(sums.count);
  const double mean = sums.count > 0 ? sums.sum / count : 0;
  const double variance = sums.count > 0 ? sums.squares / count - mean * mean : 0;
  return {mean, variance > 0 ? std::sqrt(variance) : 0};
}

/// The range of pixel values lower <= p <= upper.
struct MeshCut {
  float lower, upper;

  SRCEXTRACT_HOST_DEVICE bool contains(float pixel) const { return pixel >= lower && pixel <= upper; }
};

/// The range within 2 sigma of the mean.
SRCEXTRACT_HOST_DEVICE inline MeshCut cut_of(const MeanAndSigma& all) {
  return {static_cast<float>(all.mean - 2 * all.sigma), static_cast<float>(all.mean + 2 * all.sigma)};
}

/// The bins of a mesh's histogram: equal widths from 5 sigma below to 5 sigma above the mean of the pixels that survive
/// the cut.
struct MeshBins {
  int count;
  float width, first;  ///< `first`: pixel value at the middle of bin 0
  float offset;

  SRCEXTRACT_HOST_DEVICE MeshBins(const MeshSums& survivors, const MeanAndSigma& of_survivors) {
    constexpr double bins_per_pixel = 0.7978845608028654 * 5 / 4;  // sqrt(2 / pi) times 5 sigma, for 4 pixels per bin
    const double wanted = bins_per_pixel * static_cast<double>(survivors.count) + 1;
    count = wanted < most_mesh_bins ? static_cast<int>(wanted) : most_mesh_bins;
    width = of_survivors.sigma > 0 ? static_cast<float>(10 * of_survivors.sigma / count) : 1.0F;
    first = static_cast<float>(of_survivors.mean - 5 * of_survivors.sigma);
    offset = static_cast<float>(0.499999 - static_cast<double>(first / width));
  }

  /// The bin of a pixel, or -1 if the pixel is in no bin. A pixel up to one bin width below bin 0 counts in bin 0,
  /// since the conversion to an integer truncates towards 0.
  SRCEXTRACT_HOST_DEVICE int bin_of(float pixel) const {
    const float place = pixel / width + offset;
    return place > -1.0F && place < static_cast<float>(count) ? static_cast<int>(place) : -1;
  }
};

/// Exact sums over bins i with pixel counts h: the sums of h, of i h and of i^2 h.
struct HistogramSums {
  std::int64_t count, first, second;
};

/// The bin in which the median of the kept pixels is: `here` of these `count` pixels are in bin `bin`, and `before` in
/// earlier bins.
struct MedianBin {
  int bin = 0;
  std::int64_t before = 0, here = 0, count = 0;
};

/// State of the clipping of a histogram: the first and last kept bin, and statistics in units of bins.
struct HistogramClip {
  int low = 0, high;
  double mean = 0, median = 0, sigma, sigma_before = 1;
  MedianBin middle;  ///< where `median` is; set by who finds it
  int rounds = 0;

  SRCEXTRACT_HOST_DEVICE explicit HistogramClip(int bins) : high(bins - 1), sigma(10.0 * (bins - 1)) {}

  SRCEXTRACT_HOST_DEVICE bool goes_on() const {
    constexpr int most_rounds = 100;
    return rounds < most_rounds && sigma >= 0.1 && std::fabs(sigma / sigma_before - 1) > 1e-4;
  }

  /// Starts an iteration: sets mean and sigma from the sums over the kept bins.
  SRCEXTRACT_HOST_DEVICE void set_sums(const HistogramSums& sums) {
    sigma_before = sigma;
    ++rounds;
    const auto count = static_cast<double>(sums.count);
    mean = sums.count > 0 ? static_cast<double>(sums.first) / count : 0;
    const double variance = sums.count > 0 ? static_cast<double>(sums.second) / count - mean * mean : 0;
    sigma = variance > 0 ? std::sqrt(variance) : 0;
  }

  /// Ends an iteration: sets the median and keeps the bins within kappa sigma of the median.
  SRCEXTRACT_HOST_DEVICE void clip(double found_median, double kappa, int bins) {
    median = found_median;
    const double lower = median - kappa * sigma, upper = median + kappa * sigma;
    low = lower > 0 ? static_cast<int>(lower + 0.5) : 0;
    high = upper < bins - 1 ? static_cast<int>(upper + 0.5) : bins - 1;
  }
};

/// The median as SExtractor finds it, in closed form: SExtractor walks from both ends of the kept bins to a meeting
/// point. `middle` is the first bin for which at least half of the kept pixels are in kept bins up to it. h(i) is the
/// pixel count of bin i, even if bin i is not kept.
template <class BinCount>
SRCEXTRACT_HOST_DEVICE inline double histogram_median(const MedianBin& middle, const BinCount& h) {
  const std::int64_t after = middle.count - middle.before - middle.here;
  const bool lighter_below = middle.before < after;
  const int a = lighter_below ? middle.bin + 1 : middle.bin;
  const int b = a - 1;
  if (b < 0) return 0;
  const std::int64_t below = lighter_below ? middle.before + middle.here : middle.before;
  const std::int64_t above = lighter_below ? after : after + middle.here;
  const std::int64_t larger = h(a) > h(b) ? h(a) : h(b);
  return b + 0.5 + static_cast<double>(above - below) / (2.0 * static_cast<double>(larger));
}

/// Whether the median is to be spread_median(). SExtractor's is the value itself.
SRCEXTRACT_HOST_DEVICE inline bool spreads_median(const HistogramClip& clip, BackgroundEstimator estimator) {
  return estimator != BackgroundEstimator::sextractor && clip.middle.here > 0;
}

/// The median if pixels are whole numbers of a step that is large beside the bins: it is within the step, which reaches
/// halfway to the values `below` and `above`, the next bins that have pixels (median_in_step()). The median of whole
/// numbers with a noise of 2 is wrong by up to 0.25 sigma, and 2.5 median - 1.5 mean by 0.6. Else, or if a neighbour is
/// missing (it is the bin itself), clip.median.
SRCEXTRACT_HOST_DEVICE inline double spread_median(const HistogramClip& clip, int below, int above) {
  constexpr int least_gap = 8;
  const MedianBin& middle = clip.middle;
  if (middle.bin - below < least_gap || above - middle.bin < least_gap) return clip.median;
  const double part = median_in_step(middle.before, middle.here, middle.count);
  return 0.5 * (below + middle.bin) + part * (0.5 * (above - below));
}

/// Level and noise of the sky in one mesh; both are NaN if too much of the mesh is masked.
struct MeshNode {
  float level, rms;
};

/// Converts the clipped statistics to level and noise in units of the pixels. BackgroundEstimator::median: the level is
/// the median. Else the level is the mode, 2.5 median - 1.5 mean. In a crowded mesh, where mean and median differ by
/// 0.3 sigma or more, the level is the median. If sigma is 0, the level is the mean.
SRCEXTRACT_HOST_DEVICE inline MeshNode node_of(const HistogramClip& clip, const MeshBins& bins,
                                               BackgroundEstimator estimator) {
  constexpr double weight = 2.5, crowded = 0.3;
  const double width = bins.width, first = bins.first;
  double place = clip.median;
  if (clip.sigma == 0) {
    place = clip.mean;
  } else if (estimator != BackgroundEstimator::median && std::fabs((clip.mean - clip.median) / clip.sigma) < crowded) {
    place = weight * clip.median - (weight - 1) * clip.mean;
  }
  return {static_cast<float>(first + place * width), static_cast<float>(clip.sigma * width)};
}

}  // namespace srcextract
