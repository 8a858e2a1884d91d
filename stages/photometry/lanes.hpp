#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "stages/core/host_device.hpp"
#include "stages/photometry/aperture_box.hpp"
#include "stages/photometry/circle_parts.hpp"
#include "stages/photometry/host_keys.hpp"
#include "stages/photometry/photometry_rows.hpp"

namespace srcextract {

/// Returns the length of an array for `count` elements, at least 1, since C++ has no arrays of length 0.
constexpr int array_size(int count) {
  return count > 0 ? count : 1;
}

/// N numbers: the contributions of one pixel to N sums, or the sums themselves.
template <int N>
struct Sums {
  double of[array_size(N)];
};

/// Number of lanes. A lane is a partial sum over every 32nd column of a box.
inline constexpr int lane_count = 32;

/// Number of bins of a histogram over a box.
inline constexpr int most_bins = 64;

/// The contributions of Width pixels of a row to N sums.
template <int N, int Width>
struct BlockSums {
  double of[array_size(N)][Width];
};

/// The contributions of one pixel to M counts: 0 or 1 each. BlockCounts has the contributions of Width pixels of a row.
template <int M>
struct Counted {
  std::int32_t of[M];
};
template <int M, int Width>
struct BlockCounts {
  std::int32_t of[array_size(M)][Width];
};

template <int N, int M>
struct SumsAndCounts {
  Sums<N> sums;
  std::int64_t counts[array_size(M)];
};

/// Products of a number per column and a number per row of a box, on the host. at() computes the products of Width
/// pixels.
struct HostProduct {
  std::int32_t first_x, first_y;
  const double *columns, *rows;  ///< element 0 belongs to column first_x or row first_y

  template <int Width>
  void at(std::int32_t x, std::int32_t y, double (&product)[Width]) const {
    const double* const from = columns + (x - first_x);
    const double row = rows[y - first_y];
    for (int i = 0; i < Width; ++i) product[i] = from[i] * row;
  }
};

/// Loops over the pixels of a box, on the host, for a family (a group of measurements, see
/// stages/photometry/families.hpp). On a GPU, a warp does the same (cuda/photometry/warp_lanes.hpp), with results equal
/// to the last bit. All code of a family outside these loops is executed by every thread of the warp. Hence one source
/// text of a family serves both host and GPU.
class HostLanes {
 public:
  /// Number of pixels of a row (a block) that are processed together, so that compilers vectorise the loops over them.
  static constexpr int width = 16;

  HostLanes() = default;

  /// `rows` keeps rows of on-demand images in memory; null if all images are in memory as a whole.
  explicit HostLanes(PhotometryRows* rows) : images_(rows) {}

  /// Keeps the rows of a box in memory until the next call. Every loop over a box calls reach() first.
  void reach(const ApertureBox& box) const {
    if (images_ != nullptr) images_->reach(box);
  }

  /// Sums f(x, y), which returns a Sums<N>, over the pixels of the box. The order of additions is fixed, and the same
  /// on host and GPU:
  /// - lane l has the columns x with (x - x_begin) mod 32 = l;
  /// - lane l adds the pixels of its columns row by row, each row from left to right;
  /// - then lane l + 16 is added to lane l, lane l + 8 to lane l, and so on: a tree of 16, 8, 4, 2, 1.
  template <int N, class F>
  Sums<N> sum(const ApertureBox& box, const F& f) const {
    return sum_of_blocks<N>(box, [&](std::int32_t x, std::int32_t y, int count, BlockSums<N, width>& pixels) {
      pixels = {};
      for (int i = 0; i < count; ++i) {
        const Sums<N> pixel = f(x + i, y);
        for (int k = 0; k < N; ++k) pixels.of[k][i] = pixel.of[k];
      }
    });
  }

  /// As sum(), but for a block of pixels at a time. f(x, y, count, pixels) sets `pixels`, a BlockSums<N, width>, to the
  /// contributions of the pixels of row y from column x on. Only the first `count` of the `width` pixels are inside the
  /// box; f must set the contributions of the others to 0.
  template <int N, class F>
  Sums<N> sum_of_blocks(const ApertureBox& box, const F& f) const {
    const auto both =
        sum_and_count<N, 0>(box, [&](std::int32_t x, std::int32_t y, int count, BlockSums<N, width>& pixels,
                                     BlockCounts<0, width>&) { f(x, y, count, pixels); });
    return both.sums;
  }

  /// As sum_of_blocks(), and also counts pixels. f(x, y, count, pixels, counted) sets `pixels`, and `counted`, a
  /// BlockCounts<M, width>.
  template <int N, int M, class F>
  SumsAndCounts<N, M> sum_and_count(const ApertureBox& box, const F& f) const {
    reach(box);
    double lanes[lane_count / width][array_size(N)][width] = {};
    std::int32_t counts[array_size(M)][width] = {};
    for (std::int32_t y = box.y_begin; y < box.y_end; ++y) {
      int block = 0;
      for (std::int32_t x = box.x_begin; x < box.x_end; x += width, block = (block + 1) % (lane_count / width)) {
        BlockSums<N, width> pixels;
        BlockCounts<M, width> counted;
        f(x, y, box.x_end - x < width ? box.x_end - x : width, pixels, counted);
        for (int k = 0; k < N; ++k)
          for (int i = 0; i < width; ++i) lanes[block][k][i] += pixels.of[k][i];
        for (int k = 0; k < M; ++k)
          for (int i = 0; i < width; ++i) counts[k][i] += counted.of[k][i];
      }
    }
    SumsAndCounts<N, M> all{sum_of_lanes<N>(lanes), {}};
    for (int k = 0; k < M; ++k)
      for (int i = 0; i < width; ++i) all.counts[k] += counts[k][i];
    return all;
  }

  /// Sums over the pixels of a PlacedCircle, in the order of sum() within each band of rows (circle_parts.hpp).
  /// f(block, pixels) sets `pixels` to the contributions of the pixels of a CircleBlock; pixels that are not wanted are
  /// ignored. Sub-pixels of all edge pixels of a band are counted together, since a single block has few edge pixels.
  template <int N, class Circle, class F>
  Sums<N> sum_in_circle(const ApertureBox& box, const Circle& circle, const F& f) const {
    reach(box);
    Sums<N> all{};
    for (std::int32_t y = box.y_begin; y < box.y_end; y += band_rows) {
      const Sums<N> band = sum_of_band<N>(band_at(box, y), circle, f);
      for (int k = 0; k < N; ++k) all.of[k] += band.of[k];
    }
    return all;
  }

  /// Makes a HostProduct for the pixels of a box from of_column(x) and of_row(y). The product is valid until the next
  /// call.
  template <class Column, class Row>
  HostProduct product(const ApertureBox& box, const Column& of_column, const Row& of_row) const {
    const auto fill = [](std::vector<double>& values, std::int32_t begin, std::int32_t end, const auto& of) {
      values.resize(static_cast<std::size_t>(end - begin) + width);
      for (std::int32_t at = begin; at < end; at += width)
        for (int i = 0; i < width; ++i) values.data()[at - begin + i] = of(at + i);
    };
    fill(columns_, box.x_begin, box.x_end, of_column);
    fill(rows_, box.y_begin, box.y_end, of_row);
    return {box.x_begin, box.y_begin, columns_.data(), rows_.data()};
  }

  /// Returns working memory for `count` doubles, valid until the next source is measured. All calls return the same
  /// memory.
  double* scratch(int count) const {
    if (scratch_.size() < static_cast<std::size_t>(count)) scratch_.resize(static_cast<std::size_t>(count));
    return scratch_.data();
  }

  /// Calls f(i) for i from 0 to count - 1, in any order. After each() all lanes can read the values that f has stored,
  /// for example in the memory of scratch().
  template <class F>
  void each(int count, const F& f) const {
    for (int i = 0; i < count; ++i) f(i);
  }
  /// Calls f(i) for every multiple i of `width` below `count`, in any order. f processes the `width` elements from i
  /// on.
  template <class F>
  void each_block(int count, const F& f) const {
    for (int i = 0; i < count; i += width) f(i);
  }

  /// Adds up f(x, y), which returns a Counted<M>, over the pixels of a box.
  template <int M, class F>
  SumsAndCounts<0, M> count(const ApertureBox& box, const F& f) const {
    return sum_and_count<0, M>(
        box, [&](std::int32_t x, std::int32_t y, int size, BlockSums<0, width>&, BlockCounts<M, width>& counted) {
          counted = {};
          for (int i = 0; i < size; ++i) {
            const Counted<M> pixel = f(x + i, y);
            for (int k = 0; k < M; ++k) counted.of[k][i] = pixel.of[k];
          }
        });
  }

  /// Returns the largest f(x, y) in a box; f must not return NaN. An empty box gives the lowest double.
  template <class F>
  double max(const ApertureBox& box, const F& f) const {
    reach(box);
    double largest = -std::numeric_limits<double>::max();
    for (std::int32_t y = box.y_begin; y < box.y_end; ++y) {
      for (std::int32_t x = box.x_begin; x < box.x_end; ++x) {
        const double value = f(x, y);
        if (value > largest) largest = value;
      }
    }
    return largest;
  }

  /// Histogram over blocks of pixels: adds an integer for each pixel to the bins 0 to `most_bins`. The last bin is for
  /// values outside the histogram, and is discarded.
  class BlockBins {
   public:
    explicit BlockBins(std::int64_t* bins) : bins_(bins) {}

    /// Sets the integers of the block's pixels, for the next calls of add().
    void begin(const std::int64_t (&values)[width]) {
      for (int i = 0; i < width; ++i) values_[i] = values[i];
    }
    /// Adds the integer of pixel i to bin bins[k][i], for each k below Times.
    template <int Times>
    void add(const std::int32_t (&bins)[Times][width]) {
      std::int32_t places[Times][width];
      for (int k = 0; k < Times; ++k)
        for (int i = 0; i < width; ++i) places[k][i] = bins[k][i] * width + i;
      for (int i = 0; i < width; ++i)
        for (int k = 0; k < Times; ++k) bins_[places[k][i]] += values_[i];
    }
    /// Adds the integer of pixel i times[i] times to bin bins[i].
    void add_times(const std::int32_t (&bins)[width], const std::int32_t (&times)[width]) {
      std::int32_t places[width];
      std::int64_t sums[width];
      for (int i = 0; i < width; ++i) {
        places[i] = (bins[i] < most_bins ? bins[i] : most_bins) * width + i;
        sums[i] = times[i] * values_[i];
      }
      for (int i = 0; i < width; ++i) bins_[places[i]] += sums[i];
    }

   private:
    std::int64_t* bins_;  ///< one histogram per pixel position in the block, so that no addition must wait for another
    std::int64_t values_[width];
  };

  /// Makes a histogram of most_bins integers over a box; bins count from 0. f(x, y, count, block) must add the pixels
  /// of a block by block.begin() and block.add(). The result is valid until the next call.
  template <class F>
  const std::int64_t* bins(const ApertureBox& box, const F& f) const {
    reach(box);
    return fill_bins([&](BlockBins& block) {
      for (std::int32_t y = box.y_begin; y < box.y_end; ++y)
        for (std::int32_t x = box.x_begin; x < box.x_end; x += width)
          f(x, y, box.x_end - x < width ? box.x_end - x : width, block);
    });
  }
  /// As bins(), but calls fill(block) once, which must add all pixels.
  template <class Fill>
  const std::int64_t* fill_bins(const Fill& fill) const {
    std::int64_t apart[(most_bins + 1) * width] = {};
    BlockBins block(apart);
    fill(block);
    for (int bin = 0; bin < most_bins; ++bin) {
      bins_[bin] = 0;
      for (int i = 0; i < width; ++i) bins_[bin] += apart[bin * width + i];
    }
    return bins_;
  }

  /// Returns the sorted keys (HostKeys) of the pixels of a box that read(x, y, count, block) selects, valid until the
  /// next call.
  template <class Read>
  const HostKeys& keys(const ApertureBox& box, const Read& read) const {
    reach(box);
    keys_.read<width>(box, read);
    return keys_;
  }

 private:
  template <int N, class Circle, class F>
  Sums<N> sum_of_band(const ApertureBox& band, const Circle& circle, const F& f) const {
    parts_.find(band, circle);
    double lanes[lane_count / width][array_size(N)][width] = {};
    for (std::int32_t y = band.y_begin; y < band.y_end; ++y) {
      const int row = y - band.y_begin, end = parts_.last_block(row);
      for (int at = parts_.first_block(row); at < end; ++at) {
        const std::int32_t x = band.x_begin + at * width;
        const float *const across = parts_.across(at), *const parts = parts_.parts(row, at);
        CircleBlock<width> block;
        block.x = x;
        block.y = y;
        block.count = band.x_end - x < width ? band.x_end - x : width;
        block.dy = circle.down(y);
        for (int i = 0; i < width; ++i) {
          block.dx[i] = across[i];
          block.part[i] = parts[i];
          block.wanted[i] = parts[i] > 0 ? 1 : 0;
        }
        BlockSums<N, width> pixels;
        f(block, pixels);
        double(&own)[array_size(N)][width] = lanes[at % (lane_count / width)];
        for (int k = 0; k < N; ++k)
          for (int i = 0; i < width; ++i) own[k][i] += block.wanted[i] != 0 ? pixels.of[k][i] : 0;
      }
    }
    return sum_of_lanes<N>(lanes);
  }

  /// Adds up the lanes by the tree described at sum().
  template <int N>
  static Sums<N> sum_of_lanes(double (&lanes)[lane_count / width][array_size(N)][width]) {
    static_assert(lane_count == 2 * width);
    Sums<N> sums{};
    for (int k = 0; k < N; ++k) {
      double* const tree = lanes[0][k];
      for (int i = 0; i < width; ++i) tree[i] += lanes[1][k][i];
      for (int half = width / 2; half > 0; half /= 2)
        for (int i = 0; i < half; ++i) tree[i] += tree[i + half];
      sums.of[k] = tree[0];
    }
    return sums;
  }

  PhotometryRows* images_ = nullptr;
  mutable CircleParts<width> parts_;
  mutable std::vector<double> columns_, rows_, scratch_;
  mutable std::int64_t bins_[most_bins] = {};
  mutable HostKeys keys_;
};

}  // namespace srcextract
