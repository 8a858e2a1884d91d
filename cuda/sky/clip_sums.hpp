#pragma once

#include "cuda/sky/clip_state.hpp"

namespace srcextract {

/// Functions for exact sums, smallest and largest values over all threads of a block and over all blocks of the clip.
/// All threads of a block must call each function together, unless its comment names a warp.

__device__ inline void add_atomic(std::int64_t& to, std::int64_t value) {
  atomicAdd(reinterpret_cast<Count*>(&to), static_cast<Count>(value));
}
__device__ inline void add_atomic(ExactSum& to, const ExactSum& value) {
  add_atomic(to.low, value.low);
  add_atomic(to.high, value.high);
}

/// Adds the sum of `mine` over the lanes of a warp to `to`, atomically. One warp calls this function.
__device__ inline void add_warp(std::int64_t& to, std::int64_t mine) {
  const std::int64_t sum = sum_of_warp(mine);
  if (first_lane() && sum != 0) add_atomic(to, sum);
}
__device__ inline void add_warp(ExactSum& to, const ExactSum& mine) {
  add_warp(to.low, mine.low);
  add_warp(to.high, mine.high);
}

/// Returns, in every lane, the sum of `value` over the lanes of a warp. |value| must be below 2^50.
__device__ inline std::int64_t sum_of_terms(std::int64_t value) {
  constexpr int low_bits = 27;  // the sum of 32 such parts fits into 32 bits
  const auto low = static_cast<unsigned int>(value) & ((1u << low_bits) - 1);
  const auto high = static_cast<int>(value >> low_bits);
  return (static_cast<std::int64_t>(__reduce_add_sync(all_lanes, high)) << low_bits) +
         __reduce_add_sync(all_lanes, low);
}

/// Returns a sum over the lanes of a warp: in even lanes the sum of `first`, in odd lanes the sum of `second`.
__device__ inline std::int64_t sums_of_pairs(std::int64_t first, std::int64_t second) {
  const bool odd = lane() % 2 != 0;
  std::int64_t sum = (odd ? second : first) + __shfl_xor_sync(all_lanes, odd ? first : second, 1);
#pragma unroll
  for (int reach = 2; reach < warp_size; reach *= 2) sum += __shfl_xor_sync(all_lanes, sum, reach);
  return sum;
}

/// Adds the pixels that a warp has set aside (ThreadSums) to the block's sums. Sums one class (SumGrid) after another,
/// since the pixels rarely belong to more than a few classes.
__device__ __noinline__ void add_far_pixels(int count) {
  ClipShared& s = shared();
  const auto& far = s.far[threadIdx.x / warp_size];
  __syncwarp();
  const bool any = lane() < count;
  FarTerms terms{0, 0, 0};
  if (any) terms = far_terms(s.grid.deviation(far[lane()]), s.grid);
  for (unsigned int left = __ballot_sync(all_lanes, any); left != 0;) {
    const int k = __shfl_sync(all_lanes, terms.k, __ffs(static_cast<int>(left)) - 1);
    const bool mine = any && terms.k == k;
    ExactSum first, second;
    first.add(sum_of_terms(mine ? terms.first : 0));
    second.add(sum_of_terms(mine ? terms.second : 0));
    if (first_lane()) {
      add_atomic(s.block.first[k], first);
      add_atomic(s.block.second[k], second);
      atomicMax(&s.block.classes, k + 1);
    }
    left &= ~__ballot_sync(all_lanes, mine);
  }
  __syncwarp();  // as every function here that is not in line (ClipRanks)
}

/// The terms that a pixel close to the grid's centre (class 0) adds to the sums of d and d^2, as multiples of the
/// grid's steps (SumGrid). d is the pixel's deviation from the centre.
struct NearTerms {
  std::int64_t first, second;
  __device__ NearTerms(double deviation, const RoundingConstants& round)
      : first(bits_of(deviation + round.first) - bits_of(round.first)),
        second(bits_of(deviation * deviation + round.second) - bits_of(round.second)) {}
};

/// A thread's sums over pixels of any class; classes are ranges of distance from the grid's centre (SumGrid). The
/// thread itself sums classes 0 and 1, which contain nearly all pixels. Pixels of other classes are set aside in shared
/// memory until the warp has 32 of them and sums them together.
class ThreadSums {
 public:
  __device__ explicit ThreadSums(const SumGrid& grid)
      : grid_(grid), per_scale_(1 / grid.scale), near_(grid.scale), next_(32 * grid.scale) {}

  /// Adds x to the sums if `inside`. All lanes of the warp must call add() together.
  __device__ void add(bool inside, float x) {
    const double deviation = grid_.deviation(x);
    const double scales = fabs(deviation) * per_scale_;
    count += inside;
    if (inside && scales < 32) {
      add_terms(0, NearTerms(deviation, near_));
    } else if (inside && scales < 1024) {
      add_terms(1, NearTerms(deviation, next_));
    }
    if (const unsigned int marked = __ballot_sync(all_lanes, inside && scales >= 1024)) put_aside(marked, x);
  }

  /// Sums the pixels that are still set aside. To be called after the last add().
  __device__ void finish() {
    add_far_pixels(aside_);
    aside_ = 0;
  }

  std::int64_t count = 0;
  ExactSum first[2], second[2];

 private:
  __device__ void add_terms(int k, const NearTerms& terms) {
    first[k].add(terms.first);
    second[k].add(terms.second);
  }

  __device__ void put_aside(unsigned int marked, float x) {
    auto& far = shared().far[threadIdx.x / warp_size];
    if ((marked >> lane() & 1u) != 0) far[aside_ + __popc(marked & ((1u << lane()) - 1))] = x;
    aside_ += __popc(marked);
    if (aside_ < warp_size) return;
    add_far_pixels(warp_size);
    aside_ -= warp_size;
    const float rest = far[warp_size + lane()];
    __syncwarp();
    far[lane()] = rest;
    __syncwarp();
  }

  int aside_ = 0;
  SumGrid grid_;
  double per_scale_;
  RoundingConstants near_, next_;
};

/// Writes the running sums of value(0), ..., value(Size - 1) to `begin`: element i is the sum of the values before i,
/// and element Size is the total. Size must be a multiple of clip_threads. Whatever `value` reads must be visible to
/// the whole block. cub::BlockScan cannot replace this function, since it calls __syncthreads() in place of
/// sync_block().
template <int Size, class T, class F>
__device__ void scan_block(const F& value, T* begin) {
  using Scan = cub::WarpScan<T>;
  typename Scan::TempStorage memory;  // an empty type, since a full warp scans by shuffles
  // raw bytes, since __shared__ arrays must not have a constructor as T may have
  alignas(T) __shared__ unsigned char memory_of_warps[clip_warps * sizeof(T)];
  auto* const of_warp = reinterpret_cast<T*>(memory_of_warps);
  constexpr int per_thread = Size / clip_threads;
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const int first = static_cast<int>(threadIdx.x) * per_thread;
  T mine[per_thread];
  T sum{};
#pragma unroll
  for (int i = 0; i < per_thread; ++i) {
    mine[i] = value(first + i);
    sum = sum + mine[i];
  }
  T up_to, before;
  Scan(memory).Scan(sum, up_to, before, T{}, [](const T& a, const T& b) { return a + b; });
  if (lane() == warp_size - 1) of_warp[warp] = up_to;
  sync_block();
  for (int w = 0; w < warp; ++w) before = before + of_warp[w];
#pragma unroll
  for (int i = 0; i < per_thread; ++i) {
    begin[first + i] = before;
    before = before + mine[i];
  }
  if (threadIdx.x == clip_threads - 1) begin[Size] = before;
  sync_block();
}

/// Sums N numbers over all threads of a block. Thread k < N returns the sum of number k; other threads return 0.
template <int N>
__device__ std::int64_t sum_over_block(const std::int64_t (&mine)[N]) {
  auto& partial = shared().partial;
  static_assert(N <= most_sums);
  std::int64_t sum[N];
#pragma unroll
  for (int k = 0; k < N; ++k) sum[k] = mine[k];
  for (int reach = warp_size / 2; reach > 0; reach /= 2) {
#pragma unroll
    for (int k = 0; k < N; ++k) sum[k] += __shfl_down_sync(all_lanes, sum[k], reach);
  }
  if (first_lane()) {
#pragma unroll
    for (int k = 0; k < N; ++k) partial[k][threadIdx.x / warp_size] = sum[k];
  }
  sync_block();
  std::int64_t total = 0;
  if (threadIdx.x < N) {
#pragma unroll
    for (int warp = 0; warp < clip_warps; ++warp) total += partial[threadIdx.x][warp];
  }
  sync_block();
  return total;
}

/// Adds the sums of all threads of a block, and the block's sums of classes from 2 on, to `to`, the sums of all blocks.
__device__ inline void bring_sums(PixelSums& to, ThreadSums& mine, std::int64_t below) {
  mine.finish();
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
  const PixelSums& block = shared().block;
  for (int k = 2 + static_cast<int>(threadIdx.x); k < block.classes; k += clip_threads) {
    add_atomic(to.first[k], block.first[k]);
    add_atomic(to.second[k], block.second[k]);
  }
  if (threadIdx.x == 0) atomicMax(&to.classes, block.classes);
}

/// Calls f(value) for every value of a list. All lanes of a warp call f together; a lane beyond the end of the list
/// passes NaN.
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

/// Converts the smallest and the largest signed_key() to Extremes; the result is empty if low_key is above high_key.
__device__ inline Extremes extremes_of_keys(std::int32_t low_key, std::int32_t high_key) {
  if (low_key > high_key) return {};
  return {value_of_signed_key(low_key), value_of_signed_key(high_key)};
}

__device__ inline void add_extreme(Extremes& to, float x) {
  to.smallest = fminf(to.smallest, x);
  to.largest = fmaxf(to.largest, x);
}

/// Merges the extremes of a warp's pixels into the smallest and largest key of all blocks or of the block. -0 counts as
/// +0. All lanes of the warp must call this function together.
__device__ inline void bring_extremes(std::int32_t& low_key, std::int32_t& high_key, const Extremes& mine) {
  const std::int32_t low = __reduce_min_sync(all_lanes, signed_key(mine.smallest + 0.0F));
  const std::int32_t high = __reduce_max_sync(all_lanes, signed_key(mine.largest + 0.0F));
  if (first_lane() && low <= high) {
    atomicMin(&low_key, low);
    atomicMax(&high_key, high);
  }
}

}  // namespace srcextract
