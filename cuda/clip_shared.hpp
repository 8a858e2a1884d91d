#pragma once

#include <cooperative_groups.h>

#include "cuda/clip_memory.hpp"

namespace srcextract {

inline constexpr int clip_threads = 512;
inline constexpr int clip_warps = clip_threads / warp_size;
inline constexpr int loads_per_thread = 4;
inline constexpr int thread_pixels = 4 * loads_per_thread;
inline constexpr int clip_tile = clip_threads * thread_pixels;

/// Numbers that a block adds up at once.
inline constexpr int most_sums = 10;

/// Values that are ranked by comparing each with each.
inline constexpr int few = clip_threads;

/// The image and the memory to work in. Every block lists what it finds in parts of `tail` and `window` of its own, in
/// any order.
struct ClipWork {
  const float* pixels;
  std::int64_t count;
  const float* sorted;  ///< the sample
  float* tail;
  float* window;
  std::int64_t tail_room, window_room;  ///< of a block
  float* zones;                         ///< those of zone z from z * zone_room on
  float* collected;                     ///< those of list k from k * ClipState::list_room on
  unsigned int zone_room, collected_room;
  int chunk_tiles;  ///< of a warp's tiles in a chunk
  double kappa;
  std::int64_t max_iterations;  ///< 0 = no limit
  ClipState* state;
};

/// Pixels of a block that are to be listed, a column a thread (WaitingColumn).
struct WaitingPixels {
  static constexpr int room = 32;
  float pixel[room][clip_threads];
};

/// Sums of the parts of a block's tail, in pieces of 17 bits that are added to with no carry. The lanes of a warp add
/// to words of their own, so that none waits for another.
struct PartSums {
  static constexpr int pieces = 3;
  static constexpr int piece_bits = 17;
  /// Pixels that a block may add before the words are full: each lane of its warps adds one in 32 of them.
  static constexpr std::int64_t most_pixels = std::int64_t{warp_size} << (32 - piece_bits);

  unsigned int count[most_parts][warp_size];
  unsigned int first[most_parts][pieces][warp_size];
  unsigned int second[most_parts][pieces][warp_size];
};

/// For the forecast: running sums over the bins of the tail, of pixels, their deviations, and the squares of these.
struct BinSums {
  unsigned int count[tail_bins + 1];
  double first[tail_bins + 1];
  double second[tail_bins + 1];
};

/// What a block has to itself.
struct ClipShared {
  ClipWork work;
  SumGrid grid;
  float per_scale;   ///< 1 / grid.scale
  float window_per;  ///< bins of the window to a unit
  Interval near;
  ClipGuess guess;
  std::int64_t tail_listed, window_listed;  ///< by this block, if there was room
  PixelSums block;                          ///< this block's sums of classes beyond ThreadSums
  union {
    WaitingPixels waiting;                       ///< while all pixels are looked at
    unsigned int bins[tail_bins + window_bins];  ///< counted after that
    PartSums parts;                              ///< summed by a split
    BinSums running;                             ///< the leader's, for a forecast
  };
  unsigned int listed[2];  ///< pixels of the tail and of the window, whether there was room or not
  std::int32_t low_key, high_key;
  TailCuts cuts;
  WantedBins wanted;
  unsigned int list_room;
  unsigned int digits[256];
  std::int64_t partial[most_sums][clip_warps];
  // The leader's:
  PixelSums sums;               ///< of the last interval
  std::int64_t unmasked;        ///< pixels in the first interval, which is of all
  std::int64_t below_window;    ///< pixels
  bool tail_kept, window_kept;  ///< by all blocks
  bool split;                   ///< since the look
  NearSums core;
  unsigned int window_begin[window_bins + 1];
  unsigned int in_zone[most_zones];
  NearSums before_part[most_parts + 1];  ///< sums of the parts before one
  Count digit_totals[256];
  std::int64_t cached_first, cached_count;  ///< ranks whose values are known: one for all, or all of them in `sorted`
  bool cached_equal;
  float4 cache[few / 4];  ///< unsorted
  float sorted[few];
  unsigned int gathered;
};

/// The parts of the clip find what the block shares here, not by a pointer: so the compiler knows that it is shared
/// memory.
__device__ inline ClipShared& shared() {
  extern __shared__ double memory[];
  return *reinterpret_cast<ClipShared*>(memory);
}

__device__ inline const ClipWork& work() {
  return shared().work;
}

__device__ inline ClipState& state() {
  return *work().state;
}

/// Exclusive running sums of value(0), ..., value(Size - 1), Size a multiple of the block's threads; element Size is
/// the sum of all. The block must have finished writing what `value` reads.
template <int Size, class T, class F>
__device__ void scan_block(const F& value, T* begin) {
  __shared__ T warp_total[clip_warps];
  constexpr int per_thread = Size / clip_threads;
  T mine[per_thread];
  T sum = 0;
#pragma unroll
  for (int i = 0; i < per_thread; ++i) sum += mine[i] = value(static_cast<int>(threadIdx.x) * per_thread + i);
  T running = sum;
  for (int reach = 1; reach < warp_size; reach *= 2) {
    const T before = __shfl_up_sync(all_lanes, running, reach);
    if (threadIdx.x % warp_size >= reach) running += before;
  }
  if (threadIdx.x % warp_size == warp_size - 1) warp_total[threadIdx.x / warp_size] = running;
  __syncthreads();
  T before = running - sum;
  for (int w = 0; w < threadIdx.x / warp_size; ++w) before += warp_total[w];
#pragma unroll
  for (int i = 0; i < per_thread; ++i) {
    begin[threadIdx.x * per_thread + i] = before;
    before += mine[i];
  }
  if (threadIdx.x == clip_threads - 1) begin[Size] = before;
  __syncthreads();
}

/// Adds up N numbers of every thread: the sum of number k is returned to thread k, for k < N. The numbers of a warp
/// that has none are 0.
template <int N>
__device__ std::int64_t sum_over_block(const std::int64_t (&mine)[N], bool warp_has_any = true) {
  auto& partial = shared().partial;
  static_assert(N <= most_sums);
  std::int64_t sum[N];
#pragma unroll
  for (int k = 0; k < N; ++k) sum[k] = mine[k];
  __syncwarp();
  if (warp_has_any) {
    for (int reach = warp_size / 2; reach > 0; reach /= 2) {
#pragma unroll
      for (int k = 0; k < N; ++k) sum[k] += __shfl_down_sync(all_lanes, sum[k], reach);
    }
  }
  if (first_lane()) {
#pragma unroll
    for (int k = 0; k < N; ++k) partial[k][threadIdx.x / warp_size] = sum[k];
  }
  __syncthreads();
  std::int64_t total = 0;
  if (threadIdx.x < N) {
#pragma unroll
    for (int warp = 0; warp < clip_warps; ++warp) total += partial[threadIdx.x][warp];
  }
  __syncthreads();
  return total;
}

/// What ends a function that is not in line and in which lanes have gone different ways: they return together. Without
/// it, ptxas 13.0 was seen to lose what callers keep, where lanes came back one after the other.
__device__ inline void end_together() {
  __syncthreads();
}

/// Adds what the threads of a block have summed to the sums of all.
__device__ inline void bring_sums(PixelSums& to, const ThreadSums& mine, std::int64_t below) {
  const std::int64_t numbers[10] = {mine.count,         below,
                                    mine.first[0].low,  mine.first[0].high,
                                    mine.second[0].low, mine.second[0].high,
                                    mine.first[1].low,  mine.first[1].high,
                                    mine.second[1].low, mine.second[1].high};
  const std::int64_t sum = sum_over_block(numbers);
  std::int64_t* const all[10] = {&to.count,         &to.below,          &to.first[0].low, &to.first[0].high,
                                 &to.second[0].low, &to.second[0].high, &to.first[1].low, &to.first[1].high,
                                 &to.second[1].low, &to.second[1].high};
  if (threadIdx.x < 10 && sum != 0) {
    add_atomic(*all[threadIdx.x], sum);
    if (threadIdx.x >= 6) atomicMax(&to.classes, 2);
  }
}

/// The same for the higher classes, which the block has summed.
__device__ inline void bring_higher_classes(PixelSums& to) {
  const PixelSums& block = shared().block;
  for (int k = 2 + static_cast<int>(threadIdx.x); k < block.classes; k += clip_threads) {
    add_atomic(to.first[k].low, block.first[k].low);
    add_atomic(to.first[k].high, block.first[k].high);
    add_atomic(to.second[k].low, block.second[k].low);
    add_atomic(to.second[k].high, block.second[k].high);
  }
  if (threadIdx.x == 0) atomicMax(&to.classes, block.classes);
  end_together();
}

/// The bin of the window that the pixel of that rank, an integer or not, is in: the last that has no more pixels before
/// it. All lanes of a warp search together.
template <class Rank>
__device__ int window_bin_of_rank(Rank rank) {
  const unsigned int* const begin = shared().window_begin;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  int bin = 0;
  for (int step = window_bins / warp_size; step > 0; step /= warp_size) {
    bin += step * (__popc(__ballot_sync(all_lanes, begin[bin + step * lane] <= rank)) - 1);
  }
  static_assert(window_bins == 4 * warp_size * warp_size);
  return bin + __popc(__ballot_sync(all_lanes, lane < 4 && begin[bin + min(lane, 3)] <= rank)) - 1;
}

/// Calls f(value) for those of a list, lanes together, with NaN beyond its end.
template <class F>
__device__ void for_each_of(const float* list, std::int64_t count, const F& f) {
  constexpr int parts = 4;
  for (std::int64_t begin = 0; begin < count; begin += parts * clip_threads) {
    float x[parts];
#pragma unroll
    for (int part = 0; part < parts; ++part) {
      const std::int64_t i = begin + part * clip_threads + threadIdx.x;
      x[part] = i < count ? list[i] : std::numeric_limits<float>::quiet_NaN();
    }
#pragma unroll
    for (int part = 0; part < parts; ++part) f(x[part]);
  }
}

__device__ inline void clear_extremes(std::int32_t& low_key, std::int32_t& high_key) {
  low_key = std::numeric_limits<std::int32_t>::max();
  high_key = std::numeric_limits<std::int32_t>::min();
}

/// The other way round if there are none.
__device__ inline Extremes extremes_of_keys(std::int32_t low_key, std::int32_t high_key) {
  if (low_key > high_key) return {};
  return {value_of_signed_key(low_key), value_of_signed_key(high_key)};
}

__device__ inline void add_extreme(Extremes& to, float x) {
  to.smallest = fminf(to.smallest, x);
  to.largest = fmaxf(to.largest, x);
}

/// The extremes of what the threads of the block have seen, in the block's keys when all have called it; either zero is
/// +0. The keys must have been cleared.
__device__ inline void add_block_extremes(Extremes mine) {
  for (int reach = warp_size / 2; reach > 0; reach /= 2) {
    mine.smallest = fminf(mine.smallest, __shfl_down_sync(all_lanes, mine.smallest, reach));
    mine.largest = fmaxf(mine.largest, __shfl_down_sync(all_lanes, mine.largest, reach));
  }
  if (first_lane() && mine.smallest <= mine.largest) {
    atomicMin(&shared().low_key, signed_key(mine.smallest + 0.0F));
    atomicMax(&shared().high_key, signed_key(mine.largest + 0.0F));
  }
  __syncthreads();
}

}  // namespace srcextract
