#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "stages/sky/deviation_sums.hpp"

namespace srcextract {

/// Equal bins from the smallest to the largest. Rounding is the same for every value and keeps their order.
struct LinearBins {
  static constexpr int count = 2048;

  explicit LinearBins(const Extremes& of)
      : first(of.smallest), per_unit(of.largest > of.smallest ? count / (of.largest - first) : 0) {}

  int bin(float value) const {
    const auto i = static_cast<int>((value - first) * per_unit);
    return i < count ? i : count - 1;
  }

  double first;
  double per_unit;
};

/// The pixels that a RankSearch is about.
struct RankedPixels {
  std::function<Extremes(const Interval&)> extremes;                                   ///< bounds of those inside
  std::function<std::vector<std::int64_t>(const Interval&, const LinearBins&)> count;  ///< of those inside, per bin
  std::function<std::vector<float>(const Interval&)> collect;                          ///< those inside, in any order
};

/// Finds the k-th smallest of the pixels in an interval exactly: counts them into bins, and the pixels of one bin again
/// while they are many, and sorts the few that are left. What was counted, collected and sorted last is kept: medians
/// of one clip round after the other are close together and mostly cost one look at a few pixels.
class RankSearch {
 public:
  /// `below` pixels come before those of the interval.
  RankSearch(const Interval& interval, std::int64_t below, RankedPixels pixels);

  /// The pixel of that rank among all, 0 the smallest, if it is in the interval; +0 for either zero.
  std::optional<float> value(std::int64_t rank);

 private:
  /// Pixels of an interval, counted into bins.
  struct Level {
    Extremes extremes;
    LinearBins bins;
    std::vector<std::int64_t> below;  ///< bins + 1: pixels (of any interval) before each bin, and after the last

    bool holds(std::int64_t rank) const { return rank >= below.front() && rank < below.back(); }
    /// Pixels in bins [first, last].
    std::int64_t count(int first, int last) const {
      return below[static_cast<std::size_t>(last) + 1] - below[static_cast<std::size_t>(first)];
    }
  };

  /// `pixels`: how many are in the interval, if that is known.
  void push(const Interval& interval, std::int64_t below, std::optional<std::int64_t> pixels = std::nullopt);
  void sort(int bin, const Level& level);

  RankedPixels pixels_;
  std::vector<Level> levels_;
  /// Bins on either side whose pixels are collected together with those of one: twice as many each time, for collecting
  /// asks all threads.
  int bins_around_ = 32;
  Interval around_interval_{0, 0};
  std::vector<float> around_;  ///< all in that interval: where the next rank is likely to be
  std::vector<float> sorted_;  ///< the bin that was sorted last
  std::int64_t sorted_below_ = 0;
};

}  // namespace srcextract
