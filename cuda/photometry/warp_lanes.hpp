#pragma once

#include <cstdint>
#include <limits>

#include "cuda/device/warp.hpp"
#include "cuda/photometry/warp_keys.hpp"
#include "stages/photometry/lanes.hpp"

namespace srcextract {

static_assert(warp_size == lane_count);

/// HostLanes for a warp, all of whose lanes call everything together and learn the same.
class WarpLanes {
 public:
  static constexpr int block_warps = 2;  ///< of the kernels that have them

  /// A thread looks at one pixel at a time.
  static constexpr int width = 1;

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

  /// A lane a column, and the tree by shuffles: addition does not mind which of two comes first, so that all lanes have
  /// the bits of the first. In a narrow box the lanes that have no column take the rows below, and hand over what they
  /// find; columns that are not there would add 0 to the tree.
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
        for (int k = 0; k < N; ++k) {
          if (columns == lane_count) {
            own.of[k] += pixel.of[k][0];
          } else {
            for (int from = column; from < lane_count; from += columns)
              own.of[k] += __shfl_sync(all_lanes, pixel.of[k][0], from);
          }
        }
      }
    }
    SumsAndCounts<N, M> all{};
    for (int k = 0; k < N; ++k) {
      for (int half = columns / 2; half > 0; half /= 2) own.of[k] += __shfl_xor_sync(all_lanes, own.of[k], half);
      all.sums.of[k] = own.of[k];
    }
    for (int k = 0; k < M; ++k) all.counts[k] = total_of(counted[k]);
    return all;
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

  /// Adds the integer of one pixel to the lane's bins, for which it waits for no other.
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

  /// Lanes take the pixels of the box one after another, whatever its width.
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
    add_lanes(all);
    return all;
  }

  template <class Read>
  __device__ WarpKeys<Read> keys(const ApertureBox& box, const Read& read) const {
    __shared__ std::uint32_t memory[block_warps][WarpKeys<Read>::words];
    return WarpKeys<Read>(box, read, memory[threadIdx.x / warp_size]);
  }

 private:
  /// The sum of what may not fit in 32 bits.
  __device__ static std::int64_t total_of(std::uint32_t own) {
    const std::int64_t high = __reduce_add_sync(all_lanes, own >> 16);
    return high * 65536 + __reduce_add_sync(all_lanes, own & 0xffff);
  }

  /// 8, 16 or all.
  __device__ static int columns_at_once(const ApertureBox& box) {
    const std::int32_t columns = box.x_end - box.x_begin;
    return columns <= lane_count / 4 ? lane_count / 4 : columns <= lane_count / 2 ? lane_count / 2 : lane_count;
  }

  /// Of every lane its own, the last of which is not kept; side by side, so that lanes meet in no bank. Kernels whose
  /// family gathers nothing keep no shared memory for them.
  __device__ static std::int64_t* bins_of_warp() {
    __shared__ std::int64_t bins[block_warps][(most_bins + 1) * warp_size];
    return bins[threadIdx.x / warp_size];
  }

  /// Leaves what all lanes have in the first most_bins bins. Lanes begin with different ones, again for the banks.
  __device__ static void add_lanes(std::int64_t* bins) {
    constexpr int each = most_bins / warp_size;
    static_assert(most_bins % warp_size == 0);
    std::int64_t sums[each] = {};
    __syncwarp();
    for (int i = 0; i < each; ++i)
      for (int k = 0; k < warp_size; ++k)
        sums[i] += bins[(i * warp_size + lane()) * warp_size + (lane() + k) % warp_size];
    __syncwarp();
    for (int i = 0; i < each; ++i) bins[i * warp_size + lane()] = sums[i];
    __syncwarp();
  }
};

}  // namespace srcextract
