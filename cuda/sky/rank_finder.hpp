#pragma once

#include <cstdint>

#include "cuda/device/warp.hpp"
#include "stages/math/ordered_key.hpp"
#include "stages/sky/mesh_nodes.hpp"

namespace srcextract {

/// Finds values by their rank with a radix search: one byte of the values' sortable keys after another. All threads of
/// a block must call each function together.
class RankFinder {
 public:
  __device__ RankFinder(const float* values, std::int64_t count) : values_(values), count_(count) {}

  /// Returns the median of the values that are greater than `limit`; 1 if there are no such values.
  __device__ float median(float limit) {
    const std::int64_t size = count_if([&](float value) { return value > limit; });
    if (size == 0) return 1;
    const std::int64_t rank = count_ - size + size / 2;
    const float upper = value_of_rank(rank);
    return size % 2 == 1 ? upper : middle_of(value_of_rank(rank - 1), upper);
  }

 private:
  template <class Condition>
  __device__ std::int64_t count_if(const Condition& condition) {
    __shared__ unsigned long long size;
    if (threadIdx.x == 0) size = 0;
    __syncthreads();
    unsigned long long own = 0;
    for (std::int64_t i = threadIdx.x; i < count_; i += blockDim.x) own += condition(values_[i]) ? 1 : 0;
    own = sum_of_warp(own);
    if (first_lane()) atomicAdd(&size, own);
    __syncthreads();
    const auto found = static_cast<std::int64_t>(size);
    __syncthreads();  // all threads have read `size`, which the next call overwrites
    return found;
  }

  /// Returns the value of rank `rank` among all values; the smallest value has rank 0.
  __device__ float value_of_rank(std::int64_t rank) {
    __shared__ unsigned int bins[256];
    __shared__ std::uint32_t prefix;
    __shared__ std::int64_t rest;
    if (threadIdx.x == 0) {
      prefix = 0;
      rest = rank;
    }
    for (int shift = 24; shift >= 0; shift -= 8) {
      for (unsigned int bin = threadIdx.x; bin < 256; bin += blockDim.x) bins[bin] = 0;
      __syncthreads();
      for (std::int64_t i = threadIdx.x; i < count_; i += blockDim.x) {
        const std::uint32_t key = ordered_key(values_[i]);
        const bool same = shift == 24 || key >> (shift + 8) == prefix;
        if (same) atomicAdd(&bins[key >> shift & 255], 1u);
      }
      __syncthreads();
      if (threadIdx.x < warp_size) find_byte(bins, prefix, rest);
      __syncthreads();
    }
    const float value = value_of_ordered_key(prefix);
    __syncthreads();  // all threads have read `prefix`, which the next call overwrites
    return value;
  }

  /// Finds the bin that contains the value of rank `rest`. Appends the bin's number to `prefix`, and subtracts the
  /// counts of earlier bins from `rest`. One warp calls this function; every lane handles eight bins.
  __device__ static void find_byte(const unsigned int* bins, std::uint32_t& prefix, std::int64_t& rest) {
    constexpr int own_bins = 256 / warp_size;
    const int first = own_bins * lane();
    std::int64_t own = 0;
    for (int k = 0; k < own_bins; ++k) own += bins[first + k];
    const std::int64_t through = running_sum_of_warp(own), wanted = rest;
    const int holder = __ffs(static_cast<int>(__ballot_sync(all_lanes, through > wanted))) - 1;
    __syncwarp();  // every lane has read `rest`, which one lane changes below
    if (lane() != holder) return;
    std::int64_t left = wanted - (through - own);
    int bin = first;
    for (; left >= bins[bin]; ++bin) left -= bins[bin];
    prefix = prefix << 8 | static_cast<std::uint32_t>(bin);
    rest = left;
  }

  const float* values_;
  std::int64_t count_;
};

}  // namespace srcextract
