#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "stages/sky/deviation_sums.hpp"

namespace srcextract {

/// 2048 bins of equal width from the smallest to the largest value. Rounding keeps the order: of two values, the larger
/// is never in an earlier bin.
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

/// Functions by which a RankSearch reads the pixels in an interval.
struct RankedPixels {
  std::function<Extremes(const Interval&)> extremes;  ///< smallest and largest pixel, or bounds of both
  std::function<std::vector<std::int64_t>(const Interval&, const LinearBins&)> count;  ///< the count in each bin
  std::function<std::vector<float>(const Interval&)> collect;                          ///< the pixels, in any order
};

/// Finds the k-th smallest of the pixels in an interval exactly. The search counts the pixels in bins, divides the bin
/// of the k-th pixel into bins again while that bin has many pixels, and sorts the remaining few. Counts and sorted
/// pixels are kept for the next search, since the medians of successive clip iterations are close together.
class RankSearch {
 public:
  /// `below` is the number of pixels of the image that are below the interval.
  RankSearch(const Interval& interval, std::int64_t below, RankedPixels pixels);

  /// The pixel with this rank among all pixels of the image (0: the smallest); nothing if that pixel is not in the
  /// interval. If the pixel is -0, the result is +0.
  std::optional<float> value(std::int64_t rank);

 private:
  /// Counts of the pixels of an interval in bins. Each level after the first divides one bin of the level before.
  struct Level {
    Extremes extremes;
    LinearBins bins;
    std::vector<std::int64_t> below;  ///< number of pixels of the image before each bin, and before the end of the last
                                      ///< bin

    bool holds(std::int64_t rank) const { return rank >= below.front() && rank < below.back(); }
    /// Number of pixels in the bins `first` to `last`, both included.
    std::int64_t count(int first, int last) const {
      return below[static_cast<std::size_t>(last) + 1] - below[static_cast<std::size_t>(first)];
    }
  };

  /// Adds a level: counts the pixels of the interval in bins. `pixels` is the number of pixels in the interval, if
  /// known.
  void push(const Interval& interval, std::int64_t below, std::optional<std::int64_t> pixels = std::nullopt);
  void sort(int bin, const Level& level);

  RankedPixels pixels_;
  std::vector<Level> levels_;
  /// Number of bins on either side that are collected together with a bin. The number doubles after each collection,
  /// since collecting uses all threads and more bins make the next collection less likely. If the bins have too many
  /// pixels, the number is halved.
  int bins_around_ = 32;
  Interval around_interval_{0, 0};
  std::vector<float> around_;  ///< all pixels in around_interval_, which probably contains the next rank that is
                               ///< searched
  std::vector<float> sorted_;  ///< the sorted pixels of the bin that was sorted last
  std::int64_t sorted_below_ = 0;
};

}  // namespace srcextract
