#pragma once

#include <cstdint>
#include <limits>

#include "stages/core/host_device.hpp"

namespace srcextract {

/// The pixels [x_begin, x_end) of rows [y_begin, y_end), all of them in the image.
struct ApertureBox {
  std::int32_t x_begin, x_end, y_begin, y_end;
  bool cut;  ///< the image ends before the aperture does
};

/// An edge of a box, truncated towards zero, at most one pixel outside of an image of that size; NaN is outside.
SRCEXTRACT_HOST_DEVICE inline std::int32_t box_edge(double edge, std::int32_t size) {
  if (!(edge > -1)) return -1;
  return edge >= size + 1.0 ? size + 1 : static_cast<std::int32_t>(edge);
}

/// What of that box is in the image.
SRCEXTRACT_HOST_DEVICE inline ApertureBox box_within(double left, double right, double top, double bottom,
                                                     std::int32_t width, std::int32_t height) {
  const std::int32_t x_begin = box_edge(left, width), x_end = box_edge(right, width);
  const std::int32_t y_begin = box_edge(top, height), y_end = box_edge(bottom, height);
  ApertureBox box{x_begin > 0 ? x_begin : 0, x_end < width ? x_end : width, y_begin > 0 ? y_begin : 0,
                  y_end < height ? y_end : height, x_begin < 0 || y_begin < 0 || x_end > width || y_end > height};
  if (box.x_end < box.x_begin) box.x_end = box.x_begin;
  if (box.y_end < box.y_begin) box.y_end = box.y_begin;
  return box;
}

/// What a pixel adds to N sums, and these. Integers up to 2^53 are exact.
template <int N>
struct Sums {
  double of[N];
};

/// Columns of partial sums that a sum over a box has.
inline constexpr int lane_count = 32;

/// Real numbers as multiples of a quantum, a power of two, so that they add up to the same in any order.
struct FixedPoint {
  double quantum;

  SRCEXTRACT_HOST_DEVICE std::int64_t of(double value) const {
    const double scaled = value * (1 / quantum);  // exact, and divided once for all values
    return static_cast<std::int64_t>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
  }
  SRCEXTRACT_HOST_DEVICE double value(std::int64_t sum) const { return static_cast<double>(sum) * quantum; }
};

/// Most bins of a histogram over a box.
inline constexpr int most_bins = 64;

/// What a block, Width pixels of a row, adds to N sums.
template <int N, int Width>
struct BlockSums {
  double of[N][Width];
};

/// How a family of measurements (stages/photometry/families.hpp) goes through the pixels of a box, on the host. On a
/// device a warp does (cuda/photometry/warp_lanes.hpp), to the same bits: all that a family computes besides is
/// computed by every thread of it alike, so that its source is the same for both.
class HostLanes {
 public:
  /// Pixels of a row that sum_of_blocks and bins look at together: loops of so many turns become vectors.
  static constexpr int width = 16;

  /// The sums over the box of what f(x, y) returns, a Sums<N>. The order is part of the specification: lane l has the
  /// columns x with (x - x_begin) mod 32 = l and adds their pixels row by row, in a row from left to right; then lanes
  /// l and l + 16 are added, of these l and l + 8, and so on: a tree of 16, 8, 4, 2, 1.
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

  /// The same of blocks of pixels: f(x, y, count, pixels) says in `pixels`, a BlockSums<N, width>, what those of row y
  /// from x on add. Of its `width` pixels only `count` are in the box; the others add 0.
  template <int N, class F>
  Sums<N> sum_of_blocks(const ApertureBox& box, const F& f) const {
    double lanes[lane_count / width][N][width] = {};
    for (std::int32_t y = box.y_begin; y < box.y_end; ++y) {
      int block = 0;
      for (std::int32_t x = box.x_begin; x < box.x_end; x += width, block = (block + 1) % (lane_count / width)) {
        BlockSums<N, width> pixels;
        f(x, y, box.x_end - x < width ? box.x_end - x : width, pixels);
        for (int k = 0; k < N; ++k)
          for (int i = 0; i < width; ++i) lanes[block][k][i] += pixels.of[k][i];
      }
    }
    static_assert(lane_count == 2 * width);
    Sums<N> sums;
    for (int k = 0; k < N; ++k) {
      double* const tree = lanes[0][k];
      for (int i = 0; i < width; ++i) tree[i] += lanes[1][k][i];
      for (int half = width / 2; half > 0; half /= 2)
        for (int i = 0; i < half; ++i) tree[i] += tree[i + half];
      sums.of[k] = tree[0];
    }
    return sums;
  }

  /// The largest f(x, y) in a box, none of which is NaN; of an empty one the least number.
  template <class F>
  double max(const ApertureBox& box, const F& f) const {
    double largest = -std::numeric_limits<double>::max();
    for (std::int32_t y = box.y_begin; y < box.y_end; ++y) {
      for (std::int32_t x = box.x_begin; x < box.x_end; ++x) {
        const double value = f(x, y);
        if (value > largest) largest = value;
      }
    }
    return largest;
  }

  /// Integers of the pixels of a block, to be added to bins from 0 to `most_bins`, of which the last is not kept.
  class BlockBins {
   public:
    explicit BlockBins(std::int64_t* bins) : bins_(bins) {}

    /// The integers.
    void begin(const std::int64_t (&values)[width]) {
      for (int i = 0; i < width; ++i) values_[i] = values[i];
    }
    /// Adds each to some bins, as often as is liked.
    template <int Times>
    void add(const std::int32_t (&bins)[Times][width]) {
      std::int32_t places[Times][width];
      for (int k = 0; k < Times; ++k)
        for (int i = 0; i < width; ++i) places[k][i] = bins[k][i] * width + i;
      for (int i = 0; i < width; ++i)
        for (int k = 0; k < Times; ++k) bins_[places[k][i]] += values_[i];
    }

   private:
    std::int64_t* bins_;  ///< of every pixel of a block its own: none waits for another
    std::int64_t values_[width];
  };

  /// Integers gathered in most_bins bins, which begin empty: f(x, y, count, block) adds those of a block of pixels, by
  /// block.begin and block.add. They stay until the next call.
  template <class F>
  const std::int64_t* bins(const ApertureBox& box, const F& f) const {
    std::int64_t apart[(most_bins + 1) * width] = {};
    BlockBins block(apart);
    for (std::int32_t y = box.y_begin; y < box.y_end; ++y)
      for (std::int32_t x = box.x_begin; x < box.x_end; x += width)
        f(x, y, box.x_end - x < width ? box.x_end - x : width, block);
    for (int bin = 0; bin < most_bins; ++bin) {
      bins_[bin] = 0;
      for (int i = 0; i < width; ++i) bins_[bin] += apart[bin * width + i];
    }
    return bins_;
  }

 private:
  mutable std::int64_t bins_[most_bins] = {};
};

}  // namespace srcextract
