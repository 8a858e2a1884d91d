#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "stages/sky/deviation_sums.hpp"

namespace srcextract {

/// 2048 bins of equal width from the smallest to the largest value. A larger value is never in an earlier bin, in spite
/// of rounding.
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

/// Access to the pixels for a RankSearch.
struct RankedPixels {
  std::function<Extremes(const Interval&)> extremes;                                   ///< of the pixels inside
  std::function<std::vector<std::int64_t>(const Interval&, const LinearBins&)> count;  ///< of the pixels inside, by bin
  std::function<std::vector<float>(const Interval&)> collect;  ///< the pixels inside, in any order
};

/// Finds the k-th smallest of the pixels in an interval exactly. It counts the pixels into bins, counts those of one
/// bin again while they are many, and sorts the remaining few. Counts and sorted pixels are kept for the next search,
/// since the medians of successive clip rounds are close together.
class RankSearch {
 public:
  /// `below` is the number of the image's pixels below the interval.
  RankSearch(const Interval& interval, std::int64_t below, RankedPixels pixels);

  /// The pixel of rank `rank` among all pixels of the image (0: the smallest); nothing if it is not in the interval.
  /// Both zeros give +0.
  std::optional<float> value(std::int64_t rank);

 private:
  /// Pixels of an interval, counted into bins.
  struct Level {
    Extremes extremes;
    LinearBins bins;
    std::vector<std::int64_t> below;  ///< number of the image's pixels before each bin and before the end

    bool holds(std::int64_t rank) const { return rank >= below.front() && rank < below.back(); }
    /// Pixels in bins [first, last].
    std::int64_t count(int first, int last) const {
      return below[static_cast<std::size_t>(last) + 1] - below[static_cast<std::size_t>(first)];
    }
  };

  /// Counts the pixels of the interval into bins as a new level. `pixels` is their number, if known.
  void push(const Interval& interval, std::int64_t below, std::optional<std::int64_t> pixels = std::nullopt);
  void sort(int bin, const Level& level);

  RankedPixels pixels_;
  std::vector<Level> levels_;
  /// When one bin is collected, this many bins on either side are collected too. The number doubles each time, since
  /// collecting uses all threads.
  int bins_around_ = 32;
  Interval around_interval_{0, 0};
  std::vector<float> around_;  ///< all pixels in around_interval_, where the next rank probably lies
  std::vector<float> sorted_;  ///< the sorted pixels of the bin that was sorted last
  std::int64_t sorted_below_ = 0;
};

}  // namespace srcextract
