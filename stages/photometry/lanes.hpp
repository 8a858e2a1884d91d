#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "stages/core/host_device.hpp"
#include "stages/photometry/aperture_box.hpp"
#include "stages/photometry/circle_parts.hpp"
#include "stages/photometry/host_keys.hpp"
#include "stages/photometry/photometry_rows.hpp"

namespace srcextract {

/// Length of an array for `count` elements: at least 1, since C++ has no empty arrays.
constexpr int array_size(int count) {
  return count > 0 ? count : 1;
}

/// N numbers: what one pixel adds to N sums, or the sums themselves.
template <int N>
struct Sums {
  double of[array_size(N)];
};

/// Number of lanes. Each lane adds the pixels of every 32nd column of a box in a partial sum.
inline constexpr int lane_count = 32;

/// Largest number of bins of a histogram over a box.
inline constexpr int most_bins = 64;

/// What each of Width pixels of a row adds to N sums.
template <int N, int Width>
struct BlockSums {
  double of[array_size(N)][Width];
};

/// What a pixel adds to M counts: 0 or 1 each. BlockCounts has this for Width pixels of a row.
template <int M>
struct Counted {
  std::int32_t of[M];
};
template <int M, int Width>
struct BlockCounts {
  std::int32_t of[array_size(M)][Width];
};

/// N sums and M counts.
template <int N, int M>
struct SumsAndCounts {
  Sums<N> sums;
  std::int64_t counts[array_size(M)];
};

/// On the host: numbers given per column and per row of a box. at() multiplies them for each pixel.
struct HostProduct {
  std::int32_t first_x, first_y;
  const double *columns, *rows;  ///< element 0 is for column first_x, and for row first_y

  template <int Width>
  void at(std::int32_t x, std::int32_t y, double (&product)[Width]) const {
    const double* const from = columns + (x - first_x);
    const double row = rows[y - first_y];
    for (int i = 0; i < Width; ++i) product[i] = from[i] * row;
  }
};

/// Loops over the pixels of a box for a family of measurements (stages/photometry/families.hpp), on the host. On a
/// device a warp does this (cuda/photometry/warp_lanes.hpp), with results equal to the last bit. Every thread of the
/// warp computes all else that a family computes, so the family has one source text for both.
class HostLanes {
 public:
  /// Number of pixels of a row that sum_of_blocks and bins handle together, so that compilers turn loops over them into
  /// vectors.
  static constexpr int width = 16;

  HostLanes() = default;

  /// `rows`: holds rows of images that are not in memory as a whole.
  explicit HostLanes(PhotometryRows* rows) : images_(rows) {}

  /// Keeps the rows of a box in memory until another box is reached for. Every loop over a box calls it.
  void reach(const ApertureBox& box) const {
    if (images_ != nullptr) images_->reach(box);
  }

  /// Sums f(x, y), a Sums<N>, over the pixels of the box. The order of additions is part of the specification:
  /// - lane l has the columns x with (x - x_begin) mod 32 = l;
  /// - it adds the pixels of its columns row by row, each row from left to right;
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

  /// As sum(), with the pixels of a block at once. f(x, y, count, pixels) sets `pixels`, a BlockSums<N, width>, to what
  /// the pixels of row y from column x on add. Only `count` of the `width` pixels are in the box; the others must add
  /// 0.
  template <int N, class F>
  Sums<N> sum_of_blocks(const ApertureBox& box, const F& f) const {
    const auto both =
        sum_and_count<N, 0>(box, [&](std::int32_t x, std::int32_t y, int count, BlockSums<N, width>& pixels,
                                     BlockCounts<0, width>&) { f(x, y, count, pixels); });
    return both.sums;
  }

  /// As sum_of_blocks, with M counts of pixels besides. f(x, y, count, pixels, counted) also sets `counted`, a
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

  /// Sums over the pixels of a PlacedCircle, in the order of sum(), band after band of rows. f(block, pixels) sets
  /// `pixels` to what each pixel of a CircleBlock adds; pixels that are not wanted are ignored. Edge pixels of a band
  /// are gathered and their sub-pixels counted together, since each block has few.
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

  /// Makes a HostProduct for the pixels of a box from of_column(x) and of_row(y). It is valid until the next call.
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

  /// Lends memory for `count` doubles, valid until the next source is measured. Every call lends the same memory.
  double* scratch(int count) const {
    if (scratch_.size() < static_cast<std::size_t>(count)) scratch_.resize(static_cast<std::size_t>(count));
    return scratch_.data();
  }

  /// Calls f(i) for i from 0 to count - 1, in any order. Afterwards all lanes see what f has stored, for example in the
  /// memory of scratch().
  template <class F>
  void each(int count, const F& f) const {
    for (int i = 0; i < count; ++i) f(i);
  }
  /// Calls f(i) for every multiple i of `width` below `count`, in any order. f handles the `width` numbers from i on.
  template <class F>
  void each_block(int count, const F& f) const {
    for (int i = 0; i < count; i += width) f(i);
  }

  /// Counts only: adds f(x, y), a Counted<M>, over the pixels of a box.
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

  /// Returns the largest f(x, y) in a box; f must not give NaN. An empty box gives the lowest double.
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

  /// Adds an integer for each pixel of a block to bins 0 to `most_bins`. The last bin is discarded afterwards.
  class BlockBins {
   public:
    explicit BlockBins(std::int64_t* bins) : bins_(bins) {}

    /// Sets the integers of the block.
    void begin(const std::int64_t (&values)[width]) {
      for (int i = 0; i < width; ++i) values_[i] = values[i];
    }
    /// Adds the integer of pixel i to the bins bins[k][i], for each k below Times. May be called several times.
    template <int Times>
    void add(const std::int32_t (&bins)[Times][width]) {
      std::int32_t places[Times][width];
      for (int k = 0; k < Times; ++k)
        for (int i = 0; i < width; ++i) places[k][i] = bins[k][i] * width + i;
      for (int i = 0; i < width; ++i)
        for (int k = 0; k < Times; ++k) bins_[places[k][i]] += values_[i];
    }
    /// Adds the integer of pixel i to the bins bins[j][k][i], for all j and k. If the bins of every pixel are near each
    /// other, repeats of a bin are counted first, and the integer is added once, times its count.
    template <int Rows, int Times>
    void add(const std::int32_t (&bins)[Rows][Times][width]) {
      std::int32_t first[width], last[width], furthest = 0;
      for (int i = 0; i < width; ++i) first[i] = last[i] = bins[0][0][i];
      for (int j = 0; j < Rows; ++j) {
        for (int k = 0; k < Times; ++k) {
          for (int i = 0; i < width; ++i) {
            first[i] = bins[j][k][i] < first[i] ? bins[j][k][i] : first[i];
            last[i] = bins[j][k][i] > last[i] ? bins[j][k][i] : last[i];
          }
        }
      }
      for (int i = 0; i < width; ++i) furthest = last[i] - first[i] > furthest ? last[i] - first[i] : furthest;
      if (furthest < FieldCounts<Rows * Times, 1>::fields) return add_counted<1>(bins, first, furthest);
      if (furthest < FieldCounts<Rows * Times, 2>::fields) return add_counted<2>(bins, first, furthest);
      for (int j = 0; j < Rows; ++j) add(bins[j]);
    }

   private:
    /// For each pixel of a block, counts up to Most events in each of 6 or 12 fields, packed into one or two words of
    /// 5-bit fields. Powers of two are made from the exponents of floats, since not all processors can shift the
    /// elements of a vector by different amounts.
    template <int Most, int Words>
    struct FieldCounts {
      static constexpr int bits = 5, half = 6, fields = Words * half;
      static_assert(Most < 1 << bits && bits * half < 32 && Words <= 2);
      static constexpr std::int32_t float_one = 127, float_digits = 23;
      std::int32_t lower[width] = {}, upper[width] = {};

      void count(int i, std::int32_t field) {
        const std::int32_t in_lower = Words == 1 || field < half ? -1 : 0;
        const std::int32_t power = bits * field - (bits * half & ~in_lower);
        const auto once = static_cast<std::int32_t>(std::bit_cast<float>((float_one + power) << float_digits));
        lower[i] += once & in_lower;
        if constexpr (Words == 2) upper[i] += once & ~in_lower;
      }
      std::int32_t times(int i, int field) const {
        const std::int32_t word = Words == 1 || field < half ? lower[i] : upper[i];
        return word >> (bits * (field < half ? field : field - half)) & ((1 << bits) - 1);
      }
    };

    template <int Words, int Rows, int Times>
    void add_counted(const std::int32_t (&bins)[Rows][Times][width], const std::int32_t (&first)[width],
                     std::int32_t furthest) {
      FieldCounts<Rows * Times, Words> counts;
      for (int j = 0; j < Rows; ++j)
        for (int k = 0; k < Times; ++k)
          for (int i = 0; i < width; ++i) counts.count(i, bins[j][k][i] - first[i]);
      for (int m = 0; m <= furthest; ++m) {
        std::int32_t places[width];
        std::int64_t sums[width];
        for (int i = 0; i < width; ++i) {
          const std::int32_t bin = first[i] + m;
          places[i] = (bin < most_bins ? bin : most_bins) * width + i;
          sums[i] = counts.times(i, m) * values_[i];
        }
        for (int i = 0; i < width; ++i) bins_[places[i]] += sums[i];
      }
    }

    std::int64_t* bins_;  ///< separate for each pixel of a block, so that no addition waits for another
    std::int64_t values_[width];
  };

  /// Makes a histogram of most_bins integers over a box; bins begin at 0. f(x, y, count, block) adds the pixels of a
  /// block by block.begin and block.add. The result is valid until the next call.
  template <class F>
  const std::int64_t* bins(const ApertureBox& box, const F& f) const {
    reach(box);
    return fill_bins([&](BlockBins& block) {
      for (std::int32_t y = box.y_begin; y < box.y_end; ++y)
        for (std::int32_t x = box.x_begin; x < box.x_end; x += width)
          f(x, y, box.x_end - x < width ? box.x_end - x : width, block);
    });
  }
  /// As bins(), with fill(block), which adds all pixels.
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

  /// Returns the sorted keys of the pixels of a box that read(x, y, count, block) selects (HostKeys). They are valid
  /// until the next call.
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

  /// Adds up the lanes by the tree that sum() describes.
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
