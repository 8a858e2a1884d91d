#pragma once

#include <cstdint>

#include "stages/clip.hpp"
#include "stages/sky_sample.hpp"

namespace srcextract {

using Count = unsigned long long;  // what atomicAdd takes

inline constexpr int warp_size = 32;
inline constexpr unsigned int all_lanes = 0xffffffffu;

/// The tail's pixels are binned by their distance from the centre of the grid, 32 bins to a factor of two, from 1 to
/// 256 scales on either side; nearer ones are in the innermost bin and further ones in the outermost. More bins would
/// be scanned faster, but filled slower: what a block writes into one at a time is to fill whole sectors of the memory.
inline constexpr int bins_per_octave = 32;
inline constexpr int side_bins = 8 * bins_per_octave;
inline constexpr int tail_bins = 2 * side_bins;

/// The window's pixels are in equal bins.
inline constexpr int window_bins = 1024;

/// What the blocks ask of each other.
enum class ClipCommand { look, sum_image, sum_removed, extremes, count_digits, end };

/// What the blocks of the clip share in device memory.
struct ClipState {
  SumGrid grid;
  ClipGuess guess;
  int samples;  ///< unmasked, sorted
  double zero_share;

  ClipCommand command;
  Interval interval;                  ///< of the sums and the extremes
  Interval before;                    ///< `sum_removed` is of pixels in this one, but not in `interval`
  unsigned int begin[2], count[2];    ///< which are among these of the binned tail
  std::uint32_t prefix, prefix_mask;  ///< `count_digits` of keys that begin so,
  int shift;                          ///< from this bit on

  // What a look brings together.
  PixelSums all;  ///< of core and tail
  Count below_window;
  unsigned int tail_overflow, window_overflow;  ///< blocks that had no room
  unsigned int bins[tail_bins + window_bins];

  // What the others do.
  PixelSums sums;
  std::int32_t low_key, high_key;
  Count digits[256];
  Count smallest;  ///< bits of the least |d| > 0
};

__device__ inline void clear(PixelSums& sums) {
  if (threadIdx.x == 0) {
    sums.count = sums.below = 0;
    sums.classes = 1;
  }
  for (int k = static_cast<int>(threadIdx.x); k < sum_classes; k += static_cast<int>(blockDim.x)) {
    sums.first[k] = sums.second[k] = {0, 0};
  }
}

/// By one block.
__device__ inline void clear_look(ClipState& state) {
  clear(state.all);
  if (threadIdx.x == 0) {
    state.below_window = 0;
    state.tail_overflow = state.window_overflow = 0;
  }
  for (int bin = static_cast<int>(threadIdx.x); bin < tail_bins + window_bins; bin += static_cast<int>(blockDim.x)) {
    state.bins[bin] = 0;
  }
}

template <class T>
__device__ T warp_sum(T value) {
  for (int reach = warp_size / 2; reach > 0; reach /= 2) value += __shfl_down_sync(all_lanes, value, reach);
  return value;
}

__device__ inline bool first_lane() {
  return threadIdx.x % warp_size == 0;
}

__device__ inline void add_atomic(std::int64_t& to, std::int64_t value) {
  atomicAdd(reinterpret_cast<Count*>(&to), static_cast<Count>(value));
}

/// Adds what the lanes of a warp have.
__device__ inline void add_warp(std::int64_t& to, std::int64_t mine) {
  const std::int64_t sum = warp_sum(mine);
  if (first_lane() && sum != 0) add_atomic(to, sum);
}
__device__ inline void add_warp(ExactSum& to, const ExactSum& mine) {
  add_warp(to.low, mine.low);
  add_warp(to.high, mine.high);
}

/// Adds one block's sums to those of all.
__device__ inline void add_block(PixelSums& to, const PixelSums& block) {
  for (int k = static_cast<int>(threadIdx.x); k < block.classes; k += static_cast<int>(blockDim.x)) {
    add_atomic(to.first[k].low, block.first[k].low);
    add_atomic(to.first[k].high, block.first[k].high);
    add_atomic(to.second[k].low, block.second[k].low);
    add_atomic(to.second[k].high, block.second[k].high);
  }
  if (threadIdx.x != 0) return;
  add_atomic(to.count, block.count);
  add_atomic(to.below, block.below);
  atomicMax(&to.classes, block.classes);
}

/// Adds the pixels of a warp that are marked, class by class: there are few of them, or few classes.
__device__ __noinline__ inline void add_by_class(PixelSums& to, unsigned int marked, double deviation,
                                                 const SumGrid& grid) {
  const bool far = (marked >> threadIdx.x % warp_size & 1u) != 0;
  FarTerms terms{0, 0, 0};
  if (far) terms = far_terms(deviation, grid);
  while (marked != 0) {
    const int k = __shfl_sync(all_lanes, terms.k, __ffs(static_cast<int>(marked)) - 1);
    const bool mine = far && terms.k == k;
    ExactSum first, second;
    if (mine) {
      first.add(terms.first);
      second.add(terms.second);
    }
    add_warp(to.first[k], first);
    add_warp(to.second[k], second);
    if (first_lane()) atomicMax(&to.classes, k + 1);
    marked &= ~__ballot_sync(all_lanes, mine);
  }
}

/// Adds the pixels of a warp that are not near. Every lane of the warp calls it.
__device__ inline void add_far(PixelSums& to, bool far, double deviation, const SumGrid& grid) {
  if (const unsigned int marked = __ballot_sync(all_lanes, far)) add_by_class(to, marked, deviation, grid);
}

/// Adds to a thread's sums a pixel of the class that the constants are for.
__device__ inline void add_terms(ExactSum& first, ExactSum& second, double deviation, const RoundingConstants& round) {
  first.add(bits_of(deviation + round.first) - bits_of(round.first));
  second.add(bits_of(deviation * deviation + round.second) - bits_of(round.second));
}

}  // namespace srcextract
