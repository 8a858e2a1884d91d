#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "stages/sky/mesh_pixels.hpp"

namespace srcextract {

/// The histogram of a mesh, as the host makes it. Sums over whole chunks of bins are kept, so that a round looks at few
/// of them.
class PixelHistogram {
 public:
  /// bins_at(row, x, n, none, out) finds the bins of a piece of the mesh, `none` for what is in no bin.
  template <class BinsAt>
  PixelHistogram(const MeshPixels& pixels, int bins, const BinsAt& bins_at) : bins_(bins) {
    std::fill_n(counts_.begin(), static_cast<std::size_t>(chunks()) * chunk_bins, 0);
    pixels.for_each_piece([&](std::int64_t row, std::int64_t x_of_piece, int n) {
      std::array<int, sum_columns> found;
      bins_at(row, x_of_piece, n, nowhere, found.data());
      for (int x = 0; x < n; ++x) ++counts_[static_cast<std::size_t>(found[static_cast<std::size_t>(x)])];
    });
    for (int chunk = 0; chunk < chunks(); ++chunk) of_chunk_[static_cast<std::size_t>(chunk)] = sum_chunk(chunk);
  }

  std::int64_t operator()(int bin) const { return counts_[static_cast<std::size_t>(bin)]; }

  HistogramSums sum(int low, int high) const {
    HistogramSums sums{};
    int bin = low;
    const auto add_until = [&](int end) {
      for (; bin < end; ++bin) add_bin(bin, sums);
    };
    add_until(std::min(high + 1, (low + chunk_bins - 1) / chunk_bins * chunk_bins));
    for (; bin + chunk_bins <= high + 1; bin += chunk_bins) {
      const HistogramSums& chunk = of_chunk_[static_cast<std::size_t>(bin / chunk_bins)];
      sums.count += chunk.count;
      sums.first += chunk.first;
      sums.second += chunk.second;
    }
    add_until(high + 1);
    return sums;
  }

  /// The median of the bins from `low` on, of which so many pixels are kept.
  double median(int low, std::int64_t count) const {
    std::int64_t before = 0;
    int bin = low;
    const auto is_before = [&](std::int64_t more) { return 2 * (before + more) < count; };
    while (true) {
      const std::int64_t chunk = of_chunk_[static_cast<std::size_t>(bin / chunk_bins)].count;
      if (bin % chunk_bins == 0 && is_before(chunk)) {
        before += chunk;
        bin += chunk_bins;
      } else if (is_before((*this)(bin))) {
        before += (*this)(bin++);
      } else {
        return histogram_median(bin, before, count, *this);
      }
    }
  }

  /// The kappa-sigma clip about the median.
  HistogramClip clip(double kappa) const {
    HistogramClip clip(bins_);
    while (clip.goes_on()) {
      const HistogramSums kept = sum(clip.low, clip.high);
      clip.set_sums(kept);
      clip.clip(kept.count > 0 ? median(clip.low, kept.count) : 0, kappa, bins_);
    }
    return clip;
  }

 private:
  static constexpr int chunk_bins = 16;
  static constexpr int nowhere = most_bins;  // what is in no bin is counted here

  int chunks() const { return (bins_ + chunk_bins - 1) / chunk_bins; }

  void add_bin(int bin, HistogramSums& sums) const {
    const std::int64_t count = (*this)(bin);
    sums.count += count;
    sums.first += count * bin;
    sums.second += count * bin * bin;
  }

  HistogramSums sum_chunk(int chunk) const {
    HistogramSums sums{};
    for (int bin = chunk * chunk_bins; bin < (chunk + 1) * chunk_bins; ++bin) add_bin(bin, sums);
    return sums;
  }

  int bins_;
  std::array<std::uint32_t, most_bins + 1> counts_;
  std::array<HistogramSums, most_bins / chunk_bins> of_chunk_;
};

}  // namespace srcextract
