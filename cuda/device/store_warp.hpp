#pragma once

#include "cuda/device/launch.hpp"
#include "cuda/device/warp.hpp"

namespace srcextract {

/// Stores the `value` of every lane with `has_value` at the lane's own address `to`. Values pass through shared memory,
/// so that neighbouring lanes write neighbouring 8-byte words. If each lane stored its own value directly, every word
/// would be a separate memory transaction. All lanes of the warp must call this function together, in blocks of
/// block_threads.
template <class T>
__device__ void store_warp(T* to, const T& value, bool has_value) {
  using Word = unsigned long long;
  static_assert(sizeof(T) % sizeof(Word) == 0 && alignof(T) == sizeof(Word));
  constexpr unsigned int words = sizeof(T) / sizeof(Word);
  constexpr unsigned int values = 16;  // number of lanes whose values are in shared memory at a time
  __shared__ T tiles[block_threads / 32][values];
  __shared__ T* destinations[block_threads / 32][values];
  T* tile = tiles[threadIdx.x / 32];
  T** destination = destinations[threadIdx.x / 32];
  const unsigned int lane = threadIdx.x % 32;
  for (unsigned int first = 0; first < 32; first += values) {
    const bool now = has_value && lane / values == first / values;
    if (!__any_sync(all_lanes, now)) continue;
    if (now) tile[lane % values] = value;
    if (lane / values == first / values) destination[lane % values] = has_value ? to : nullptr;
    __syncwarp();
    const Word* from = reinterpret_cast<const Word*>(tile);
    for (unsigned int word = lane; word < values * words; word += 32) {
      T* at = destination[word / words];
      if (at != nullptr) reinterpret_cast<Word*>(at)[word % words] = from[word];
    }
    __syncwarp();  // the next pass of the loop overwrites the tile
  }
}

}  // namespace srcextract
