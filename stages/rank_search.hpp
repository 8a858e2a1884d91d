#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "stages/core/host_device.hpp"
#include "stages/ordered_key.hpp"

namespace srcextract {

/// `bin_count` equal bins over the ordered keys from `first` on, each of 2^shift keys.
struct KeyWindow {
  std::uint32_t first;
  int shift;

  static constexpr int bin_bits = 11;
  static constexpr int bin_count = 1 << bin_bits;

  /// The bin of a key; bin_count or more if it is outside the window.
  SRCEXTRACT_HOST_DEVICE std::uint32_t bin(std::uint32_t key) const { return (key - first) >> shift; }
};

/// Finds the k-th smallest pixel exactly, by counting into ever finer bins of ordered keys: 2^21, 2^10 and 1 key wide,
/// so three counting passes at most and no memory that depends on the pixels. Counts of the last windows are kept:
/// medians of one clip round after the other are close together and mostly cost no pass at all.
class RankSearch {
 public:
  /// Counts the pixels that are not masked into the bins of a window.
  using CountBins = std::function<std::vector<std::int64_t>(const KeyWindow&)>;

  explicit RankSearch(CountBins count_bins);

  /// Number of pixels that are not masked.
  std::int64_t count() const { return count_; }

  /// Number of pixels that are +0, or so near above it (below 3e-39) that no instrument can tell.
  std::int64_t zeros() const;

  /// The pixel of that rank, 0 the smallest; 0 <= rank < count().
  float value(std::int64_t rank);

  /// The median of the `count` pixels that follow the `below` smallest: the mean of the two middle ones if even.
  double median(std::int64_t below, std::int64_t count);

 private:
  struct Level {
    KeyWindow window;
    std::vector<std::int64_t> below;  ///< bin_count + 1: pixels (of any window) before each bin, and after the last
  };

  void push(const KeyWindow& window, std::int64_t below);

  CountBins count_bins_;
  std::vector<Level> levels_;
  std::int64_t count_ = 0;
};

}  // namespace srcextract
