#pragma once

#include <cstdint>
#include <limits>

#include "cuda/device/warp.hpp"
#include "stages/photometry/lanes.hpp"

namespace srcextract {

static_assert(warp_size == lane_count);

/// HostLanes for a warp, all of whose lanes call everything together and learn the same.
class WarpLanes {
 public:
  /// `bins` in shared memory, most_bins of the warp's own.
  __device__ explicit WarpLanes(unsigned long long* bins) : bins_(bins) {}

  /// A thread looks at one pixel at a time.
  static constexpr int width = 1;

  /// A lane a column, and the tree by shuffles: addition does not mind which of two comes first, so that all lanes have
  /// the bits of the first. In a narrow box the lanes that have no column take the rows below, and hand over what they
  /// find; columns that are not there would add 0 to the tree.
  template <int N, class F>
  __device__ Sums<N> sum(const ApertureBox& box, const F& f) const {
    const int columns = columns_at_once(box), column = lane() & (columns - 1), row = lane() / columns;
    Sums<N> own{};
    for (std::int32_t y = box.y_begin; y < box.y_end; y += lane_count / columns) {
      for (std::int32_t x = box.x_begin; x < box.x_end; x += columns) {
        Sums<N> pixel{};
        if (x + column < box.x_end && y + row < box.y_end) pixel = f(x + column, y + row);
        for (int k = 0; k < N; ++k) {
          if (columns == lane_count) {
            own.of[k] += pixel.of[k];
          } else {
            for (int from = column; from < lane_count; from += columns)
              own.of[k] += __shfl_sync(all_lanes, pixel.of[k], from);
          }
        }
      }
    }
    for (int k = 0; k < N; ++k)
      for (int half = columns / 2; half > 0; half /= 2) own.of[k] += __shfl_xor_sync(all_lanes, own.of[k], half);
    return own;
  }

  template <int N, class F>
  __device__ Sums<N> sum_of_blocks(const ApertureBox& box, const F& f) const {
    return sum<N>(box, [&](std::int32_t x, std::int32_t y) -> Sums<N> {
      BlockSums<N, width> pixel;
      f(x, y, 1, pixel);
      Sums<N> sums;
      for (int k = 0; k < N; ++k) sums.of[k] = pixel.of[k][0];
      return sums;
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

  /// The integers of one pixel: how often each of the bins about the first is wanted is counted in bytes, so that fewer
  /// atomic additions are made; at most 255 times between begin and end.
  class BlockBins {
   public:
    __device__ explicit BlockBins(unsigned long long* bins) : bins_(bins) {}

    __device__ void begin(const std::int64_t (&value)[width], const std::int32_t (&near)[width]) {
      value_ = value[0];
      first_ = near[0] - counted / 2;
      count_[0] = count_[1] = 0;
    }
    template <int Times>
    __device__ void add(const std::int32_t (&bins)[Times][width]) {
      for (int k = 0; k < Times; ++k) {
        const std::int32_t place = bins[k][0] - first_;
        if (place < 0 || place >= counted) {
          add_to(bins[k][0], 1);
          continue;
        }
        const std::uint64_t one = std::uint64_t{1} << (8 * (place % 8));
        count_[0] += place < 8 ? one : 0;
        count_[1] += place < 8 ? 0 : one;
      }
    }
    __device__ void end() {
      for (int half = 0; half < 2; ++half) {
        for (std::uint64_t left = count_[half]; left != 0;) {
          const int byte = (__ffsll(static_cast<long long>(left)) - 1) / 8;
          const std::uint64_t times = left >> (8 * byte) & 0xff;
          add_to(first_ + 8 * half + byte, static_cast<std::int64_t>(times));
          left ^= times << (8 * byte);
        }
      }
    }

   private:
    static constexpr int counted = 16;

    /// Shared memory has atomic additions of 32 bits: those of the lower half tell whether they carry.
    __device__ void add_to(std::int32_t bin, std::int64_t times) {
      if (bin >= most_bins) return;
      const auto sum = static_cast<std::uint64_t>(times * value_);
      auto* const halves = reinterpret_cast<unsigned int*>(bins_ + bin);
      const auto low = static_cast<unsigned int>(sum), high = static_cast<unsigned int>(sum >> 32);
      const unsigned int before = atomicAdd(halves, low);
      atomicAdd(halves + 1, high + (before + low < low ? 1U : 0U));
    }

    unsigned long long* bins_;
    std::int64_t value_ = 0;
    std::uint64_t count_[2] = {};  ///< a byte a bin
    std::int32_t first_ = 0;
  };

  /// Lanes take the pixels of the box one after another, whatever its width.
  template <class F>
  __device__ const std::int64_t* bins(const ApertureBox& box, const F& f) const {
    __syncwarp();
    for (int i = lane(); i < most_bins; i += lane_count) bins_[i] = 0;
    __syncwarp();
    const std::int32_t columns = box.x_end - box.x_begin;
    if (columns > 0) {
      BlockBins block(bins_);
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
    __syncwarp();
    return reinterpret_cast<const std::int64_t*>(bins_);
  }

 private:
  /// 8, 16 or all.
  __device__ static int columns_at_once(const ApertureBox& box) {
    const std::int32_t columns = box.x_end - box.x_begin;
    return columns <= lane_count / 4 ? lane_count / 4 : columns <= lane_count / 2 ? lane_count / 2 : lane_count;
  }

  unsigned long long* bins_;
};

}  // namespace srcextract
