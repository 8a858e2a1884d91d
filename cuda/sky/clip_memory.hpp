#pragma once

#include <cstdint>

#include "cuda/device/warp.hpp"
#include "stages/sky/clip.hpp"
#include "stages/sky/sky_sample.hpp"

namespace srcextract {

using Count = unsigned long long;  // what atomicAdd takes

/// The tail's pixels are counted by their distance from the centre of the grid, 64 bins to a factor of two, from 1 to
/// 256 scales on either side; nearer ones are in the innermost bin and further ones in the outermost. What is made of
/// the counts is a forecast (cuda/sky/clip_forecast.hpp), never a result.
inline constexpr int bins_per_octave = 64;
inline constexpr int side_bins = 8 * bins_per_octave;
inline constexpr int tail_bins = 2 * side_bins;

/// The window's pixels are in equal bins.
inline constexpr int window_bins = 4096;

/// A split cuts the tail at places where ends of clipped sets are expected: an odd part of it, a zone, is around such a
/// place, an even one between two of them. The core is in one of the even parts.
inline constexpr int side_zones = 8;
inline constexpr int most_zones = 2 * side_zones;
inline constexpr int most_parts = 2 * most_zones + 1;

/// Sums over near pixels (SumGrid::near).
struct NearSums {
  std::int64_t count;
  ExactSum first, second;
};

/// What the blocks ask of each other.
enum class ClipCommand { look, split, sum_tail, tail_extremes, collect, sum_image, image_extremes, count_digits, end };

/// Where the tail is cut: part k holds edge[k - 1] < x <= edge[k]. What is beyond the last edge is +infinity.
struct TailCuts {
  static constexpr int room = 2 * most_zones;
  int lower_zones;  ///< of these the zones below the core
  int zones;
  float edge[room];

  /// Zone z is part 2 z + 1.
  __device__ float zone_begin(int zone) const { return edge[2 * zone]; }
  __device__ float zone_end(int zone) const { return edge[2 * zone + 1]; }
  /// The part that x is in: how many edges are below it.
  __device__ int part_of(float x) const {
    int part = 0;
#pragma unroll
    for (int step = room / 2; step > 0; step /= 2) part += x > edge[part + step - 1] ? step : 0;
    return part + (x > edge[part] ? 1 : 0);
  }
};
static_assert(TailCuts::room == 32);  // part_of: a power of two

/// Bins of the window whose pixels are collected, each in a list of its own.
struct WantedBins {
  static constexpr int most = 64;
  int count;
  std::uint32_t bits[window_bins / 32];
  std::uint16_t before[window_bins / 32];  ///< wanted bins before these

  __device__ bool has(int bin) const { return (bits[bin / 32] >> bin % 32 & 1u) != 0; }
  __device__ int list_of(int bin) const { return before[bin / 32] + __popc(bits[bin / 32] & ((1u << bin % 32) - 1u)); }
};

/// What the blocks of the clip share in device memory.
struct ClipState {
  SumGrid grid;
  ClipGuess guess;
  int samples;  ///< unmasked, sorted
  bool heavy;   ///< one value of the window is so frequent that it is not worth keeping
  double zero_share;

  ClipCommand command;
  Interval interval;                  ///< of the sums and the extremes
  std::uint32_t prefix, prefix_mask;  ///< `count_digits` of keys that begin so,
  int shift;                          ///< from this bit on
  TailCuts cuts;                      ///< of the split
  WantedBins wanted;                  ///< by a split, or by `collect`
  unsigned int list_room;             ///< for the pixels of one of these

  // What a look brings together.
  unsigned int chunks_taken;  ///< of the image, beyond the first of every warp
  NearSums core;
  PixelSums tail;
  std::int64_t in_tail;       ///< pixels, whether there was room for them or not
  std::int64_t above_window;  ///< pixels that are not below it
  std::int32_t tail_low_key, tail_high_key;
  unsigned int tail_overflow, window_overflow;  ///< blocks that had no room
  unsigned int bins[tail_bins + window_bins];

  // A split: sums of the parts, but of the outermost ones only counts.
  NearSums part[most_parts];
  unsigned int in_zone[most_zones];
  unsigned int in_list[WantedBins::most];  ///< pixels of the wanted bins

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

/// All threads of one block call it.
__device__ inline void clear_look(ClipState& state) {
  clear(state.tail);
  if (threadIdx.x == 0) {
    state.core = {};
    state.in_tail = state.above_window = 0;
    state.chunks_taken = 0;
    state.tail_low_key = std::numeric_limits<std::int32_t>::max();
    state.tail_high_key = std::numeric_limits<std::int32_t>::min();
    state.tail_overflow = state.window_overflow = 0;
  }
  for (int bin = static_cast<int>(threadIdx.x); bin < tail_bins + window_bins; bin += static_cast<int>(blockDim.x)) {
    state.bins[bin] = 0;
  }
}

/// Whether one value of the window is so frequent in the sorted sample that the window is not worth keeping. All
/// threads of one block call it.
__device__ inline bool is_heavy(const float* sorted, int samples, const Interval& window) {
  const int run = max(samples / 128, 16);
  bool heavy = false;
  for (int i = static_cast<int>(threadIdx.x); i + run < samples; i += static_cast<int>(blockDim.x)) {
    const float x = sorted[i];
    if (window.contains(x) && x == sorted[i + run]) heavy = true;
  }
  return __syncthreads_or(heavy) != 0;
}

template <class T>
__device__ T warp_sum(T value) {
  for (int reach = warp_size / 2; reach > 0; reach /= 2) value += __shfl_down_sync(all_lanes, value, reach);
  return value;
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

/// Adds the pixels of a warp that are marked, class by class: there are few of them, or few classes.
__device__ __forceinline__ void add_by_class(PixelSums& to, unsigned int marked, double deviation,
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

/// Adds to a thread's sums a pixel of the class that the constants are for.
__device__ inline void add_terms(ExactSum& first, ExactSum& second, double deviation, const RoundingConstants& round) {
  first.add(bits_of(deviation + round.first) - bits_of(round.first));
  second.add(bits_of(deviation * deviation + round.second) - bits_of(round.second));
}

/// A thread's sums over pixels of any class: of the two lowest, which nearly all belong to, by itself.
class ThreadSums {
 public:
  __device__ explicit ThreadSums(const SumGrid& grid)
      : grid_(grid), per_scale_(1 / grid.scale), near_(grid.scale), next_(32 * grid.scale) {}

  /// Adds x if it is inside. Every lane of the warp calls it; what is of a higher class goes to the block's sums.
  __device__ void add(bool inside, float x, PixelSums& block) {
    const double deviation = grid_.deviation(x);
    const double scales = fabs(deviation) * per_scale_;
    count += inside;
    if (inside && scales < 32) {
      add_terms(first[0], second[0], deviation, near_);
    } else if (inside && scales < 1024) {
      add_terms(first[1], second[1], deviation, next_);
    }
    if (const unsigned int marked = __ballot_sync(all_lanes, inside && scales >= 1024)) {
      add_by_class(block, marked, deviation, grid_);
    }
  }

  std::int64_t count = 0;
  ExactSum first[2], second[2];

 private:
  SumGrid grid_;
  double per_scale_;
  RoundingConstants near_, next_;
};

}  // namespace srcextract
