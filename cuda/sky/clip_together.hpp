#pragma once

#include "cuda/sky/clip_shared.hpp"

namespace srcextract {

/// What the threads of a block of the clip do together: running sums, sums, extremes, lists. All of them call these
/// functions, unless it is said that a warp does.

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

/// What ends a function that is not in line and in which lanes have gone different ways: they return together. Where
/// they did not, medians came out wrong, and threads of a warp waited for one another, by what looks like a fault of
/// ptxas 13.0: the values that callers keep were not those that they had left.
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
