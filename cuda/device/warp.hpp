#pragma once

#include <cstdint>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

namespace srcextract {

inline constexpr int warp_size = 32;
inline constexpr unsigned int all_lanes = 0xffffffffu;

/// Index of the thread in its warp.
__device__ inline int lane() {
  return static_cast<int>(threadIdx.x % warp_size);
}

__device__ inline bool first_lane() {
  return lane() == 0;
}

/// Sum of `value` over the lanes of a warp, returned in every lane. All lanes call it.
template <class T>
__device__ T sum_of_warp(T value) {
  using Reduce = cub::WarpReduce<T>;
  typename Reduce::TempStorage memory;  // has no members if a whole warp reduces by shuffles
  return __shfl_sync(all_lanes, Reduce(memory).Sum(value), 0);
}

/// Sum of `value` over the lanes up to and including this lane. All lanes call it.
template <class T>
__device__ T running_sum_of_warp(T value) {
  using Scan = cub::WarpScan<T>;
  typename Scan::TempStorage memory;  // has no members if a whole warp scans by shuffles
  T sum;
  Scan(memory).InclusiveSum(value, sum);
  return sum;
}

/// The lanes of a warp that have the same key as this lane. All lanes of the warp construct their objects together.
class Peers {
 public:
  __device__ explicit Peers(std::uint32_t key) : lanes_(__match_any_sync(all_lanes, key)) {}

  __device__ bool is_first() const { return (lanes_ & (own_lane() - 1)) == 0; }
  __device__ bool is_last() const { return lanes_ < 2 * static_cast<std::uint64_t>(own_lane()); }
  __device__ unsigned int count() const { return static_cast<unsigned int>(__popc(lanes_)); }

  /// Adds the number of peers to a counter by one atomic operation. Peers get consecutive numbers, lane by lane, from
  /// the counter's previous value on. All lanes of the warp call it. Peers with a null counter count from 0 and store
  /// nothing.
  __device__ std::uint32_t count_up(std::uint32_t* counter) const {
    std::uint32_t before = 0;
    if (counter != nullptr && is_first()) before = atomicAdd(counter, count());
    before = __shfl_sync(all_lanes, before, __ffs(static_cast<int>(lanes_)) - 1);
    return before + static_cast<std::uint32_t>(__popc(lanes_ & (own_lane() - 1)));
  }

 private:
  __device__ static unsigned int own_lane() { return 1u << threadIdx.x % 32; }

  unsigned int lanes_;
};

}  // namespace srcextract
