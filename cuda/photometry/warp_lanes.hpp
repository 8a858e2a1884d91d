#pragma once

#include <cstdint>
#include <limits>

#include "cuda/device/warp.hpp"
#include "cuda/photometry/circle_steps.hpp"
#include "cuda/photometry/warp_keys.hpp"
#include "stages/photometry/lanes.hpp"

namespace srcextract {

/// Does the same loops over pixels as HostLanes, with a warp; results are bit-identical. All lanes must call every
/// function together, and all get the same result. A block has `Warps` warps; each measures its own source.
template <int Warps>
class WarpLanes {
 public:
  static constexpr int block_warps = Warps;

  /// largest number of columns, and of rows, for which Product stores factors
  static constexpr int most_of_product = 128;

  /// Number of consecutive pixels that a thread handles together.
  static constexpr int width = 1;

  WarpLanes() = default;
  /// `scratch` is working memory that no other warp uses; null if the family needs none.
  __device__ explicit WarpLanes(double* scratch) : scratch_(scratch) {}

  /// Whether this thread is the one that stores the result.
  __device__ bool is_first() const { return first_lane(); }

  template <int N, class F>
  __device__ Sums<N> sum(const ApertureBox& box, const F& f) const {
    return sum_of_blocks<N>(box, [&](std::int32_t x, std::int32_t y, int, BlockSums<N, width>& pixel) {
      const Sums<N> one = f(x, y);
      for (int k = 0; k < N; ++k) pixel.of[k][0] = one.of[k];
    });
  }

  template <int N, class F>
  __device__ Sums<N> sum_of_blocks(const ApertureBox& box, const F& f) const {
    const auto both =
        sum_and_count<N, 0>(box, [&](std::int32_t x, std::int32_t y, int count, BlockSums<N, width>& pixel,
                                     BlockCounts<0, width>&) { f(x, y, count, pixel); });
    return both.sums;
  }

  /// Each lane sums the pixels of a column, and shuffles add up the lanes as a binary tree. Since a + b and b + a are
  /// equal, all lanes get the same bits. In a narrow box, lanes without a column read pixels of the rows below, and
  /// pass their terms to the lane of the column. A tree over all 32 lanes would have the same result, since lanes
  /// without a column would add 0.
  template <int N, int M, class F>
  __device__ SumsAndCounts<N, M> sum_and_count(const ApertureBox& box, const F& f) const {
    const int columns = columns_at_once(box), column = lane() & (columns - 1), row = lane() / columns;
    Sums<N> own{};
    std::uint32_t counted[M + 1] = {};
    for (std::int32_t y = box.y_begin; y < box.y_end; y += lane_count / columns) {
      for (std::int32_t x = box.x_begin; x < box.x_end; x += columns) {
        BlockSums<N, width> pixel{};
        BlockCounts<M, width> counts{};
        if (x + column < box.x_end && y + row < box.y_end) f(x + column, y + row, 1, pixel, counts);
        for (int k = 0; k < M; ++k) counted[k] += static_cast<std::uint32_t>(counts.of[k][0]);
        add_in_order(pixel, columns, own);
      }
    }
    SumsAndCounts<N, M> all{};
    add_columns(columns, own);
    all.sums = own;
    for (int k = 0; k < M; ++k) all.counts[k] = total_of(counted[k]);
    return all;
  }

  template <int N, class Circle, class F>
  __device__ Sums<N> sum_in_circle(const ApertureBox& box, const Circle& circle, const F& f) const {
    Sums<N> all{};
#pragma unroll 1
    for (std::int32_t y = box.y_begin; y < box.y_end; y += band_rows) {
      const Sums<N> band = sum_of_band<N>(band_at(box, y), circle, f);
      for (int k = 0; k < N; ++k) all.of[k] += band.of[k];
    }
    return all;
  }

  /// Multiplies a factor of the column and a factor of the row for each pixel, as HostProduct does. Stores the factors
  /// if the box has at most `most` columns and rows.
  template <class Column, class Row>
  class Product {
   public:
    static constexpr int most = most_of_product;

    __device__ Product(const ApertureBox& box, const Column& of_column, const Row& of_row, double* memory)
        : of_column_(of_column), of_row_(of_row), first_x_(box.x_begin), first_y_(box.y_begin), columns_(memory) {
      const std::int32_t columns = box.x_end - box.x_begin, rows = box.y_end - box.y_begin;
      is_small_ = columns <= most && rows <= most;
      if (!is_small_) return;
      __syncwarp();
#pragma unroll 1
      for (std::int32_t i = lane(); i < columns; i += warp_size) columns_[i] = of_column(first_x_ + i);
#pragma unroll 1
      for (std::int32_t i = lane(); i < rows; i += warp_size) columns_[most + i] = of_row(first_y_ + i);
      __syncwarp();
    }

    __device__ void at(std::int32_t x, std::int32_t y, double (&product)[width]) const {
      product[0] = is_small_ ? columns_[x - first_x_] * columns_[most + (y - first_y_)] : of_column_(x) * of_row_(y);
    }

   private:
    Column of_column_;
    Row of_row_;
    std::int32_t first_x_, first_y_;
    double* columns_;  ///< factors of the columns; factors of the rows begin at element `most`
    bool is_small_;
  };
  template <class Column, class Row>
  __device__ Product<Column, Row> product(const ApertureBox& box, const Column& of_column, const Row& of_row) const {
    return Product<Column, Row>(box, of_column, of_row, product_of_warp());
  }

  /// As HostLanes::scratch(). Ignores the number of doubles, since the launch has allocated enough for each source.
  __device__ double* scratch(int) const {
    return scratch_;
  }

  template <class F>
  __device__ void each(int count, const F& f) const {
    __syncwarp();
#pragma unroll 1
    for (int i = lane(); i < count; i += warp_size) f(i);
    __syncwarp();
  }
  template <class F>
  __device__ void each_block(int count, const F& f) const {
    each(count, f);
  }

  template <int M, class F>
  __device__ SumsAndCounts<0, M> count(const ApertureBox& box, const F& f) const {
    return sum_and_count<0, M>(
        box, [&](std::int32_t x, std::int32_t y, int, BlockSums<0, width>&, BlockCounts<M, width>& counted) {
          const Counted<M> pixel = f(x, y);
          for (int k = 0; k < M; ++k) counted.of[k][0] = pixel.of[k];
        });
  }

  template <class F>
  __device__ double max(const ApertureBox& box, const F& f) const {
    double largest = -std::numeric_limits<double>::max();
    for (std::int32_t y = box.y_begin; y < box.y_end; ++y) {
      for (std::int32_t x = box.x_begin + lane(); x < box.x_end; x += lane_count) {
        const double value = f(x, y);
        if (value > largest) largest = value;
      }
    }
    for (int half = lane_count / 2; half > 0; half /= 2) {
      const double other = __shfl_xor_sync(all_lanes, largest, half);
      if (other > largest) largest = other;
    }
    return largest;
  }

  /// Adds an integer of one pixel to bins that belong to this lane alone, so that no atomic operation is needed.
  class BlockBins {
   public:
    __device__ explicit BlockBins(std::int64_t* bins) : bins_(bins) {}

    __device__ void begin(const std::int64_t (&value)[width]) { value_ = value[0]; }
    template <int Times>
    __device__ void add(const std::int32_t (&bins)[Times][width]) {
      for (int k = 0; k < Times; ++k) bins_[bins[k][0] * warp_size] += value_;
    }

   private:
    std::int64_t* bins_;
    std::int64_t value_ = 0;
  };

  /// Computes a histogram as HostLanes::bins() does. The lanes handle consecutive pixels of the box, whatever its
  /// width.
  template <class F>
  __device__ const std::int64_t* bins(const ApertureBox& box, const F& f) const {
    std::int64_t* const all = bins_of_warp();
    __syncwarp();
    for (int bin = 0; bin <= most_bins; ++bin) all[bin * warp_size + lane()] = 0;
    const std::int32_t columns = box.x_end - box.x_begin;
    if (columns > 0) {
      BlockBins block(all + lane());
      const std::int32_t rows_on = lane_count / columns, columns_on = lane_count % columns;
      std::int32_t y = box.y_begin + lane() / columns, x = box.x_begin + lane() % columns;
      while (y < box.y_end) {
        f(x, y, 1, block);
        y += rows_on;
        x += columns_on;
        if (x >= box.x_end) {
          x -= columns;
          ++y;
        }
      }
    }
    add_lanes<most_bins>(all);
    return all;
  }

  template <class Read>
  __device__ WarpKeys<Read> keys(const ApertureBox& box, const Read& read) const {
    __shared__ std::uint32_t memory[block_warps][WarpKeys<Read>::words];
    return WarpKeys<Read>(box, read, memory[threadIdx.x / warp_size]);
  }

 protected:
  /// Sums over a band (some rows) of a circle, up to CircleSteps::most steps of all lanes at a time. Pixels that the
  /// circle's edge crosses are collected first, so that then every lane is busy counting sub-pixels. Loops are not
  /// unrolled where the code would exceed the instruction cache.
  template <int N, class Circle, class F>
  __device__ static Sums<N> sum_of_band(const ApertureBox& band, const Circle& circle, const F& f) {
    const int columns = columns_at_once(band);
    const std::int32_t rows = lane_count / columns, in_row = (band.x_end - band.x_begin + columns - 1) / columns;
    const std::int32_t together = in_row < CircleSteps::most ? in_row : CircleSteps::most;
    Sums<N> own{};
    if (in_row == 0) return own;
    const std::int32_t most_rows = CircleSteps::most / together;
#pragma unroll 1
    for (std::int32_t y = band.y_begin; y < band.y_end; y += most_rows * rows) {
      const std::int32_t left = (band.y_end - y + rows - 1) / rows, down = left < most_rows ? left : most_rows;
#pragma unroll 1
      for (std::int32_t x = band.x_begin; x < band.x_end; x += together * columns) {
        const std::int32_t to_end = (band.x_end - x + columns - 1) / columns;
        const std::int32_t across = to_end < together ? to_end : together;
        add_steps(CircleSteps{x, y, across, columns}, across * down, band, circle, f, own);
      }
    }
    add_columns(columns, own);
    return own;
  }

 private:
  /// Adds the terms of the lanes to the sums of their columns, row by row from the top.
  template <int N>
  __device__ static void add_in_order(const BlockSums<N, width>& pixel, int columns, Sums<N>& own) {
    if (columns == lane_count) {
      for (int k = 0; k < N; ++k) own.of[k] += pixel.of[k][0];
    } else if (columns == lane_count / 2) {
      add_rows<2>(pixel, own);
    } else {
      add_rows<4>(pixel, own);
    }
  }
  template <int Rows, int N>
  __device__ static void add_rows(const BlockSums<N, width>& pixel, Sums<N>& own) {
    constexpr int columns = lane_count / Rows;
    const int column = lane() & (columns - 1);
    for (int k = 0; k < N; ++k) {
      double of_row[Rows];
      for (int row = 0; row < Rows; ++row) of_row[row] = __shfl_sync(all_lanes, pixel.of[k][0], row * columns + column);
      for (int row = 0; row < Rows; ++row) own.of[k] += of_row[row];
    }
  }

  /// Adds up the sums of the columns as a binary tree.
  template <int N>
  __device__ static void add_columns(int columns, Sums<N>& own) {
    for (int k = 0; k < N; ++k)
      for (int half = columns / 2; half > 0; half /= 2) own.of[k] += __shfl_xor_sync(all_lanes, own.of[k], half);
  }

  template <int N, class Circle, class F>
  __device__ static void add_steps(const CircleSteps& steps, int size, const ApertureBox& box, const Circle& circle,
                                   const F& f, Sums<N>& own) {
    CircleMemory& memory = circle_of_warp();
    auto& inside = memory.inside;
    std::uint16_t* const which = memory.crossed;
    int crossed = 0;
    CircleWalk walk(steps);
    __syncwarp();
#pragma unroll 1
    for (int i = 0; i < size; ++i, walk.go_on()) {
      std::int32_t looked[width];
      const float dx[width] = {circle.across(walk.x)}, dy[width] = {circle.down(walk.y)};
      circle.overlap.look(dx, dy, looked);
      if (walk.x >= box.x_end || walk.y >= box.y_end) looked[0] = 0;
      inside[i][lane()] = static_cast<std::uint8_t>(looked[0]);
      const unsigned int lanes = __ballot_sync(all_lanes, looked[0] < 0);
      if (looked[0] < 0)
        which[crossed + __popc(lanes & ((1u << lane()) - 1))] = static_cast<std::uint16_t>(i * lane_count + lane());
      crossed += __popc(lanes);
    }
    __syncwarp();
#pragma unroll 1
    for (int i = lane(); i < crossed; i += lane_count) {
      const int step = which[i] / lane_count, of = which[i] % lane_count;
      const float dx[width] = {circle.across(steps.x_at(step, of))}, dy[width] = {circle.down(steps.y_at(step, of))};
      std::int32_t counted[width];
      circle.overlap.count(dx, dy, counted);
      inside[step][of] = static_cast<std::uint8_t>(counted[0]);
    }
    __syncwarp();
    CircleWalk again(steps);
#pragma unroll 1
    for (int i = 0; i < size; ++i, again.go_on()) {
      const std::int32_t sub_pixel_count = inside[i][lane()];
      BlockSums<N, width> pixel{};
      if (sub_pixel_count != 0) {
        const float part = circle.overlap.part(sub_pixel_count), dx = circle.across(again.x);
        f(CircleBlock<width>{again.x, again.y, 1, {dx}, circle.down(again.y), {part}, {1}}, pixel);
      }
      add_in_order(pixel, steps.columns, own);
    }
  }

  double* scratch_ = nullptr;

  /// Returns the sum of `own` over the warp, which may exceed 32 bits.
  __device__ static std::int64_t total_of(std::uint32_t own) {
    const std::int64_t high = __reduce_add_sync(all_lanes, own >> 16);
    return high * 65536 + __reduce_add_sync(all_lanes, own & 0xffff);
  }

  /// Returns the number of columns that the lanes cover at a time: 8, 16 or 32.
  __device__ static int columns_at_once(const ApertureBox& box) {
    const std::int32_t columns = box.x_end - box.x_begin;
    return columns <= lane_count / 4 ? lane_count / 4 : columns <= lane_count / 2 ? lane_count / 2 : lane_count;
  }

  // Shared arrays are in functions that are not templates: a function template would have one array for each
  // instantiation.

  __device__ static double* product_of_warp() {
    __shared__ double memory[block_warps][2 * most_of_product];
    return memory[threadIdx.x / warp_size];
  }

  struct CircleMemory {
    /// number of sub-pixels inside the circle, or a special value of CircleOverlap
    std::uint8_t inside[CircleSteps::most][lane_count];
    /// step and lane of each pixel that the circle's edge crosses: step * 32 + lane
    std::uint16_t crossed[CircleSteps::most * lane_count];
  };
  __device__ static CircleMemory& circle_of_warp() {
    __shared__ CircleMemory memory[block_warps];
    return memory[threadIdx.x / warp_size];
  }

  /// Returns the memory for the bins of all lanes. Bins of the lanes are interleaved, so that lanes use different
  /// memory banks. The last bin is discarded. Only kernels that compute a histogram contain this shared array.
  __device__ static std::int64_t* bins_of_warp() {
    __shared__ std::int64_t bins[block_warps][(most_bins + 1) * warp_size];
    return bins[threadIdx.x / warp_size];
  }
};

/// WarpLanes for a block that measures one source with all its warps. The warps divide the bands (sets of rows) of a
/// circle among themselves.
template <int Warps>
class BlockLanes : public WarpLanes<Warps> {
 public:
  __device__ bool is_first() const { return threadIdx.x == 0; }

  template <int N, class Circle, class F>
  __device__ Sums<N> sum_in_circle(const ApertureBox& box, const Circle& circle, const F& f) const {
    __shared__ Sums<N> bands[Warps];
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    Sums<N> all{};
#pragma unroll 1
    for (std::int32_t y = box.y_begin; y < box.y_end; y += Warps * band_rows) {
      const std::int32_t own = y + warp * band_rows;
      Sums<N> band{};
      if (own < box.y_end) band = this->template sum_of_band<N>(band_at(box, own), circle, f);
      __syncthreads();  // all threads have read the `bands` of the previous iteration
      if (first_lane()) bands[warp] = band;
      __syncthreads();
      for (int i = 0; i < Warps && y + i * band_rows < box.y_end; ++i)
        for (int k = 0; k < N; ++k) all.of[k] += bands[i].of[k];
    }
    return all;
  }
};

}  // namespace srcextract
