#pragma once

#include <cstdint>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

namespace srcextract {

inline constexpr int warp_size = 32;
inline constexpr unsigned int all_lanes = 0xffffffffu;

__device__ inline int lane() {
  return static_cast<int>(threadIdx.x % warp_size);
}

__device__ inline bool first_lane() {
  return lane() == 0;
}

/// Returns the sum of `value` over the lanes of a warp, in every lane. All lanes must call this function together.
template <class T>
__device__ T sum_of_warp(T value) {
  using Reduce = cub::WarpReduce<T>;
  typename Reduce::TempStorage memory;  // an empty type, since a full warp reduces by shuffles
  return __shfl_sync(all_lanes, Reduce(memory).Sum(value), 0);
}

/// Returns the sum of `value` over the lanes up to and including this lane. All lanes must call this function together.
template <class T>
__device__ T running_sum_of_warp(T value) {
  using Scan = cub::WarpScan<T>;
  typename Scan::TempStorage memory;  // an empty type, since a full warp scans by shuffles
  T sum;
  Scan(memory).InclusiveSum(value, sum);
  return sum;
}

/// Returns, in the first lane of each group of `Lanes` adjacent lanes, the sum of `value` over the group. First adds
/// lanes l and l + Lanes / 2, then lanes l and l + Lanes / 4, and so on: the same order as on the host. All lanes must
/// call this function together.
template <int Lanes = warp_size>
__device__ double fold_lanes(double value) {
  for (int half = Lanes / 2; half > 0; half /= 2) value += __shfl_down_sync(all_lanes, value, half);
  return value;
}

/// The lanes of a warp that have the same key as this lane ("peers"). All lanes of the warp must construct their
/// objects together.
class Peers {
 public:
  __device__ explicit Peers(std::uint32_t key) : lanes_(__match_any_sync(all_lanes, key)) {}

  __device__ bool is_first() const { return (lanes_ & (own_lane() - 1)) == 0; }
  __device__ bool is_last() const { return lanes_ < 2 * static_cast<std::uint64_t>(own_lane()); }
  __device__ unsigned int count() const { return static_cast<unsigned int>(__popc(lanes_)); }

  /// Adds the number of peers to `*counter` by one atomic operation. Returns the counter's previous value plus the
  /// number of peers in lower lanes, so that peers get consecutive numbers. Peers must pass the same counter; with
  /// null, numbers begin at 0 and no counter changes. All lanes of the warp must call count_up() together.
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
