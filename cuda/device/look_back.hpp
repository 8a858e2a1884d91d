#pragma once

#include <cuda/atomic>

#include "cuda/device/launch.hpp"
#include "cuda/device/warp.hpp"

namespace srcextract {

/// Running sums over tiles (equal pieces of an array) in one pass, where only the device holds the number of tiles. A
/// block takes the next tile, publishes the tile's sum, and adds up published sums of earlier tiles. Some published
/// sums already include all tiles before them (decoupled look-back, Merrill and Garland 2016). A tile waits only for
/// earlier tiles, which running blocks have taken before, so the wait ends. Sums must be below 2^62.
class LookBack {
 public:
  /// Returns the number of 64-bit words of device memory that `tiles` tiles need. All words must be 0 before a kernel
  /// takes a tile.
  static std::int64_t words_for(std::int64_t tiles) { return 1 + tiles; }
  explicit LookBack(std::uint64_t* words) : taken_(words), sums_(words + 1) {}

  /// Sets the words for `tiles` tiles to 0. All threads of a launch must call clear().
  __device__ void clear(std::int64_t tiles) const {
    for (std::int64_t i = thread_index(); i < 1 + tiles; i += thread_total()) taken_[i] = 0;
  }

  /// Returns the index of the next tile for this block. All threads of the block must call take() together.
  __device__ std::int64_t take() const {
    __shared__ unsigned long long tile;
    __syncthreads();  // all threads have read the previous tile
    if (threadIdx.x == 0) tile = atomicAdd(reinterpret_cast<unsigned long long*>(taken_), 1ull);
    __syncthreads();
    return static_cast<std::int64_t>(tile);
  }

  /// Publishes the sum of a tile; returns the sum of all earlier tiles. All lanes of one warp of the block must call
  /// sum_before() together.
  __device__ std::uint64_t sum_before(std::int64_t tile, std::uint64_t sum) const {
    const int lane = static_cast<int>(threadIdx.x % 32);
    if (lane == 0) state(tile).store(own | sum, cuda::memory_order_relaxed);
    std::uint64_t before = 0;
    for (std::int64_t nearest = tile - 1;; nearest -= 32) {
      const std::uint64_t told = nearest >= lane ? wait_for(nearest - lane) : complete;
      const unsigned int completed = __ballot_sync(all_lanes, (told & complete) != 0);
      const int last = completed != 0 ? __ffs(static_cast<int>(completed)) - 1 : 31;
      before += sum_of_warp(lane <= last ? told & ~(own | complete) : 0);
      if (completed != 0) break;
    }
    if (lane == 0) state(tile).store(complete | (before + sum), cuda::memory_order_relaxed);
    return before;
  }

 private:
  /// Flags in a tile's word. own: the word holds the sum of the tile alone; complete: the sum of this and all earlier
  /// tiles. Neither flag: nothing is published yet.
  static constexpr std::uint64_t own = std::uint64_t{1} << 62;
  static constexpr std::uint64_t complete = std::uint64_t{1} << 63;
  using State = cuda::atomic_ref<std::uint64_t, cuda::thread_scope_device>;

  __device__ State state(std::int64_t tile) const { return State(sums_[tile]); }
  __device__ std::uint64_t wait_for(std::int64_t tile) const {
    std::uint64_t told;
    do told = state(tile).load(cuda::memory_order_relaxed);
    while (told == 0);
    return told;
  }

  std::uint64_t* taken_;  ///< one word: the number of tiles taken; `sums_` follows
  std::uint64_t* sums_;
};

}  // namespace srcextract
