#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "stages/sky/mesh_pixels.hpp"

namespace srcextract {

/// The histogram of the pixels of a mesh on the CPU. The sums over all bins before each chunk (chunk_bins consecutive
/// bins) are stored, so that sums over a range of bins read only two chunks.
class PixelHistogram {
 public:
  /// Counts the pixels of a mesh in `bins` bins. bins_at(row, x, n, none, out) must write the storage indices
  /// (place_of_bin) of the bins of n pixels, or `none` for a pixel in no bin.
  template <class BinsAt>
  PixelHistogram(const MeshPixels& pixels, int bins, const BinsAt& bins_at) : bins_(bins) {
    for (int place = 0; place < most_mesh_bins; place += most_chunks) std::fill_n(counts_.begin() + place, chunks(), 0);
    pixels.for_each_piece([&](std::int64_t row, std::int64_t x_of_piece, int n) {
      std::array<int, sum_columns> found;
      bins_at(row, x_of_piece, n, nowhere, found.data());
      for (int x = 0; x < n; ++x) ++counts_[static_cast<std::size_t>(found[static_cast<std::size_t>(x)])];
    });
    sum_chunks(pixels.area());
  }

  std::int64_t operator()(int bin) const { return counts_[static_cast<std::size_t>(place_of_bin(bin))]; }

  /// Clips the histogram at kappa sigma about the median.
  HistogramClip clip(double kappa) const;

  /// The same, with the median spread over a step if `estimator` asks for that.
  HistogramClip clip(double kappa, BackgroundEstimator estimator) const;

 private:
  static constexpr int nowhere = most_mesh_bins;  // index of an extra count, for pixels in no bin

  int chunks() const { return (bins_ + chunk_bins - 1) / chunk_bins; }

  void sum_chunks(std::int64_t pixels);

  HistogramSums sum_before(int bin) const;

  /// The bin of the median of the `count` pixels in the kept bins. `low` is the first kept bin; `before_low` is the
  /// number of pixels in earlier bins.
  MedianBin find_middle(int low, std::int64_t before_low, std::int64_t count) const;

  int bins_;
  std::array<std::uint32_t, most_mesh_bins + 1> counts_;
  std::array<HistogramSums, most_chunks + 1> before_;
};

}  // namespace srcextract
