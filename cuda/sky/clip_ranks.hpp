#pragma once

#include "cuda/sky/clip_together.hpp"

namespace srcextract {

/// Finds values of a list by their rank. What was found last is kept with its neighbours, for ranks that are close. By
/// one block.
class ClipRanks {
 public:
  /// Whether the pixel of that rank among all pixels is known.
  __device__ static bool knows(std::int64_t rank) {
    const ClipShared& s = shared();
    return rank >= s.cached_first && rank < s.cached_first + s.cached_count;
  }
  /// The pixel of a rank that is known.
  __device__ static float value(std::int64_t rank) {
    const ClipShared& s = shared();
    return s.sorted[s.cached_equal ? 0 : rank - s.cached_first] + 0.0F;
  }

  /// Gets to know `count` equal pixels, the first of them of rank `first`.
  __device__ static void know_equal(float value, std::int64_t first, std::int64_t count) {
    __syncthreads();
    if (threadIdx.x == 0) shared().sorted[0] = value;
    set_known(true, first, count);
  }

  /// Gets to know the pixel of rank `first` + `wanted` and those around it. They are in a list of `count` values
  /// between about `low` and `high`, the smallest of rank `first`.
  __device__ __noinline__ static void find(const float* values, unsigned int count, unsigned int wanted,
                                           std::int64_t first, double low, double high) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    if (count <= few) {
      gather(values, count, [](float x) { return x == x; });
      return set_known(false, first, count);
    }
    float smallest = -infinity;
    float largest = infinity;
    unsigned int before = 0;
    for (;;) {
      const Parts parts(low, high);
      const auto in_range = [&](float x) { return x >= smallest && x <= largest; };
      count_parts(values, count, parts, in_range);
      unsigned int in_part = 0;
      const int part = find_part(wanted - before, before, in_part);
      const auto in_found = [&](float x) { return in_range(x) && parts.of(x) == part; };
      if (in_part <= few) {
        gather(values, count, in_found);
        return set_known(false, first + before, in_part);
      }
      const Extremes extremes = extremes_of(values, count, in_found);
      smallest = extremes.smallest;
      largest = extremes.largest;
      if (smallest == largest) return know_equal(smallest, first + before, in_part);
      low = smallest;
      high = largest;
    }
  }

 private:
  /// Equal parts of a range of values, the ends being about `low` and `high`.
  struct Parts {
    static constexpr int count = 64;
    double low;
    double per_unit;
    __device__ Parts(double from, double to) : low(from), per_unit(count / (to - from)) {}
    __device__ int of(float x) const { return min(max(static_cast<int>((x - low) * per_unit), 0), count - 1); }
  };

  __device__ static void set_known(bool equal, std::int64_t first, std::int64_t count) {
    if (threadIdx.x == 0) {
      shared().cached_equal = equal;
      shared().cached_first = first;
      shared().cached_count = count;
    }
    __syncthreads();
  }

  template <class In>
  __device__ static void count_parts(const float* values, unsigned int count, const Parts& parts, const In& in) {
    ClipShared& s = shared();
    __syncthreads();
    if (threadIdx.x < Parts::count) s.digits[threadIdx.x] = 0;
    __syncthreads();
    for_each_of(values, count, [&](float x) {
      if (in(x)) atomicAdd(&s.digits[parts.of(x)], 1u);
    });
    __syncthreads();
  }

  /// The part that holds the `wanted`-th value counted; adds to `before` those of the parts before it. Every warp finds
  /// it by itself.
  __device__ static int find_part(unsigned int wanted, unsigned int& before, unsigned int& in_part) {
    const ClipShared& s = shared();
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const unsigned int even = s.digits[2 * lane];
    const unsigned int odd = s.digits[2 * lane + 1];
    unsigned int running = even + odd;
    for (int reach = 1; reach < warp_size; reach *= 2) {
      const unsigned int lower = __shfl_up_sync(all_lanes, running, reach);
      if (lane >= reach) running += lower;
    }
    const int found = __ffs(static_cast<int>(__ballot_sync(all_lanes, wanted < running))) - 1;
    const unsigned int even_begin = __shfl_sync(all_lanes, running - even - odd, found);
    const unsigned int even_count = __shfl_sync(all_lanes, even, found);
    const unsigned int odd_count = __shfl_sync(all_lanes, odd, found);
    const bool in_even = wanted < even_begin + even_count;
    before += in_even ? even_begin : even_begin + even_count;
    in_part = in_even ? even_count : odd_count;
    return in_even ? 2 * found : 2 * found + 1;
  }

  /// At most `few` values, sorted: the place of each is how many are smaller, or equal and before it.
  template <class In>
  __device__ static void gather(const float* values, unsigned int count, const In& in) {
    ClipShared& s = shared();
    auto* const cache = reinterpret_cast<float*>(s.cache);
    __syncthreads();
    cache[threadIdx.x] = std::numeric_limits<float>::quiet_NaN();  // before nothing
    if (threadIdx.x == 0) s.gathered = 0;
    __syncthreads();
    for_each_of(values, count, [&](float x) {
      if (in(x)) cache[atomicAdd(&s.gathered, 1u)] = x;
    });
    __syncthreads();
    const unsigned int gathered = s.gathered;
    if (threadIdx.x >= gathered) return;
    const float mine = cache[threadIdx.x];
    unsigned int place = 0;
#pragma unroll 4
    for (unsigned int i = 0; i < gathered; i += 4) {
      const float4 other = s.cache[i / 4];
      place += other.x < mine || (other.x == mine && i < threadIdx.x) ? 1 : 0;
      place += other.y < mine || (other.y == mine && i + 1 < threadIdx.x) ? 1 : 0;
      place += other.z < mine || (other.z == mine && i + 2 < threadIdx.x) ? 1 : 0;
      place += other.w < mine || (other.w == mine && i + 3 < threadIdx.x) ? 1 : 0;
    }
    s.sorted[place] = mine;
  }

  template <class In>
  __device__ static Extremes extremes_of(const float* values, unsigned int count, const In& in) {
    ClipShared& s = shared();
    __syncthreads();
    if (threadIdx.x == 0) clear_extremes(s.low_key, s.high_key);
    __syncthreads();
    Extremes mine;
    for_each_of(values, count, [&](float x) {
      if (in(x)) add_extreme(mine, x);
    });
    add_block_extremes(mine);
    return extremes_of_keys(s.low_key, s.high_key);
  }
};

}  // namespace srcextract
