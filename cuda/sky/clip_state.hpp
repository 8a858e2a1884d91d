#pragma once

#include <cstdint>

#include "cuda/device/warp.hpp"
#include "stages/sky/clip.hpp"
#include "stages/sky/sky_sample.hpp"

namespace srcextract {

using Count = unsigned long long;  // what atomicAdd takes

inline constexpr int clip_threads = 512;
inline constexpr int clip_warps = clip_threads / warp_size;
inline constexpr int loads_per_thread = 4;
inline constexpr int thread_pixels = 4 * loads_per_thread;
inline constexpr int warp_tile = warp_size * thread_pixels;
inline constexpr int clip_tile = clip_threads * thread_pixels;

/// The tail's pixels are counted by their distance from the centre of the grid, 64 bins to a factor of two, from 1 to
/// 256 scales on either side; nearer ones are in the innermost bin and further ones in the outermost. What is made of
/// the counts is a forecast (cuda/sky/clip_forecast.hpp), never a result.
inline constexpr int bins_per_octave = 64;
inline constexpr int side_bins = 8 * bins_per_octave;
inline constexpr int tail_bins = 2 * side_bins;

/// The window's pixels are in equal bins.
inline constexpr int window_bins = 4096;

/// The tail is cut at places where ends of clipped sets are expected: an odd part of it, a zone, is around such a
/// place, an even one between two of them. The core is in one of the even parts. A zone is made of cells of equal
/// width, an even part is a cell by itself.
inline constexpr int side_zones = 8;
inline constexpr int most_zones = 2 * side_zones;
inline constexpr int even_parts = most_zones + 1;
inline constexpr int least_cells = 128;
inline constexpr int most_cells = 512;

/// The pixels of a cell of the window are listed up to this many at most: then one warp ranks them by itself.
inline constexpr int most_ranked = 256;

/// Sums over near pixels (SumGrid::near).
struct NearSums {
  std::int64_t count;
  ExactSum first, second;
  __device__ NearSums operator+(const NearSums& other) const {
    NearSums sum = *this;
    sum.count += other.count;
    sum.first.add(other.first);
    sum.second.add(other.second);
    return sum;
  }
};

/// What the leader asks all blocks to do.
enum class ClipCommand { look, split, collect, sum, extremes, count_digits, end };

/// Where pixels are read from: all of the image by all blocks, or what each block has listed.
enum class ClipSource { image, tail, window };

/// Where the tail is cut: part k holds edge[k - 1] < x <= edge[k]. What is beyond the last edge is +infinity.
struct TailCuts {
  static constexpr int room = 2 * most_zones;
  int zones;  ///< zone z is part 2 z + 1
  float edge[room];
  float per_unit[most_zones];  ///< cells of a zone to a unit
  int first_cell[room + 2];    ///< of a part

  /// The part that x is in: how many edges are below it.
  __device__ int part_of(float x) const {
    int part = 0;
#pragma unroll
    for (int step = room / 2; step > 0; step /= 2) part += x > edge[part + step - 1] ? step : 0;
    return part + (x > edge[part] ? 1 : 0);
  }
  /// Never falls as x rises. The part is a zone.
  __device__ int cell_of(float x, int part) const {
    const int begin = first_cell[part];
    const auto cell = static_cast<int>((x - edge[part - 1]) * per_unit[part / 2]);
    return begin + min(max(cell, 0), first_cell[part + 1] - begin - 1);
  }
};
static_assert(TailCuts::room == warp_size);  // part_of: a power of two; the leader: a lane an edge

/// Bins of the window whose pixels are collected, each in cells of its own.
struct WantedBins {
  static constexpr int most = 64;
  int count;
  std::uint32_t bits[window_bins / 32];
  std::uint16_t before[window_bins / 32];  ///< wanted bins before these

  __device__ bool has(int bin) const { return (bits[bin / 32] >> bin % 32 & 1u) != 0; }
  __device__ int list_of(int bin) const { return before[bin / 32] + __popc(bits[bin / 32] & ((1u << bin % 32) - 1u)); }
};

/// A cell of a wanted bin: how many pixels it has, and between which keys they are.
struct WindowCell {
  unsigned int count;
  std::int32_t low_key, high_key;
};

/// What the blocks of the clip share in device memory.
struct ClipState {
  SumGrid grid;
  ClipGuess guess;
  int samples;  ///< unmasked, sorted
  bool heavy;   ///< one value of the window is so frequent that it is not worth keeping
  double zero_share;

  ClipCommand command;
  Interval interval;                  ///< known exactly, before a split; of the sums and the extremes
  std::uint32_t prefix, prefix_mask;  ///< `count_digits` of keys that begin so,
  int shift;                          ///< from this bit on
  ClipSource source;                  ///< of the sums, the extremes, the digits
  TailCuts cuts;
  WantedBins wanted;

  // What a look brings together.
  unsigned int chunks_taken;  ///< of the image, beyond where the warps begin
  NearSums core;
  PixelSums tail;
  std::int64_t in_tail;       ///< pixels, whether there was room for them or not
  std::int64_t above_window;  ///< pixels that are not below it
  std::int32_t tail_low_key, tail_high_key;
  unsigned int tail_overflow, window_overflow;  ///< blocks that had no room
  unsigned int bins[tail_bins + window_bins];

  NearSums cell[most_cells];  ///< of the tail, after a split; of the outermost ones only counts
  std::int32_t cell_low[most_cells], cell_high[most_cells];  ///< keys of the extremes of those in zones

  // What else is asked for.
  PixelSums sums;
  std::int32_t low_key, high_key;
  Count digits[256];
  Count smallest;  ///< bits of the least |d| > 0
};

/// By the first `threads` threads of a block.
__device__ inline void clear(PixelSums& sums, int threads) {
  if (threadIdx.x == 0) {
    sums.count = sums.below = 0;
    sums.classes = 1;
  }
  for (int k = static_cast<int>(threadIdx.x); k < sum_classes; k += threads) sums.first[k] = sums.second[k] = {0, 0};
}

/// What a look adds to. By the first `threads` threads of a block.
__device__ inline void clear_look(ClipState& state, int threads) {
  clear(state.tail, threads);
  if (threadIdx.x == 0) {
    state.core = {};
    state.in_tail = state.above_window = 0;
    state.chunks_taken = 0;
    state.tail_low_key = std::numeric_limits<std::int32_t>::max();
    state.tail_high_key = std::numeric_limits<std::int32_t>::min();
    state.tail_overflow = state.window_overflow = 0;
  }
  for (int bin = static_cast<int>(threadIdx.x); bin < tail_bins + window_bins; bin += threads) state.bins[bin] = 0;
}

/// Whether one value of the window is so frequent in the sorted sample that the window is not worth keeping, if any of
/// the first `threads` threads says so.
__device__ inline bool is_heavy(const float* sorted, int samples, const Interval& window, int threads) {
  const int run = max(samples / 128, 16);
  bool heavy = false;
  for (int i = static_cast<int>(threadIdx.x); i + run < samples; i += threads) {
    const float x = sorted[i];
    if (window.contains(x) && x == sorted[i + run]) heavy = true;
  }
  return heavy;
}

/// The image and the memory to work in. Every block lists what it finds in parts of `tail` and `window` of its own, in
/// any order.
struct ClipWork {
  const float* pixels;
  std::int64_t count;
  const float* sorted;  ///< the sample
  float* tail;
  float* window;
  std::int64_t tail_room, window_room;  ///< of a block
  float* cell_pixels;                   ///< of the tail's cells, cell_room each: one warp sums them by itself
  WindowCell* window_cell;
  float* window_pixels;  ///< of these, window_cell_room each
  int cells;             ///< of the tail, at most
  int cell_room, window_cell_room;
  int bin_cells;    ///< of a bin of the window, a power of two up to 256
  int first_tiles;  ///< a warp's tiles in the part of the image that it begins with
  int chunk_tiles;  ///< in what it takes after that
  double kappa;
  std::int64_t max_iterations;  ///< 0 = no limit
  ClipState* state;
  uint4* bright_quads;  ///< of a warp's tile each (BrightQuads); null if nobody asks for them
  float* bright_limit;
};

/// Pixels of a block that are to be listed, a column a thread (WaitingColumn).
struct WaitingPixels {
  static constexpr int room = 32;
  float pixel[room][clip_threads];
};

/// Sums of the even parts of a block's tail, in pieces of 17 bits that are added to with no carry. The lanes of a warp
/// add to words of their own, so that none waits for another.
struct PartSums {
  static constexpr int pieces = 3;
  static constexpr int piece_bits = 17;
  /// Pixels that a block may add before the words are full: each lane of its warps adds one in 32 of them.
  static constexpr std::int64_t most_pixels = std::int64_t{warp_size} << (32 - piece_bits);

  unsigned int count[even_parts][warp_size];
  unsigned int first[even_parts][pieces][warp_size];
  unsigned int second[even_parts][pieces][warp_size];
};

/// For the forecast: zones of one side, from the outermost inwards, in pixels' units.
struct ZoneSide {
  int count;
  float begin[side_zones], end[side_zones];
};

/// For the forecast: running sums over the bins of the tail, of pixels, their deviations, and the squares of these.
struct TailSums {
  double count, first, second;
  __device__ TailSums operator+(const TailSums& other) const {
    return {count + other.count, first + other.first, second + other.second};
  }
};

/// Numbers that a block adds up at once.
inline constexpr int most_sums = 10;

/// What a block has to itself.
struct ClipShared {
  ClipWork work;
  SumGrid grid;
  float per_scale;   ///< 1 / grid.scale
  float window_per;  ///< bins of the window to a unit
  Interval near;
  ClipGuess guess;
  std::int64_t tail_listed, window_listed;  ///< by this block, if there was room
  PixelSums block;                          ///< this block's sums of classes beyond ThreadSums
  union {
    WaitingPixels waiting;                       ///< while all pixels are looked at
    unsigned int bins[tail_bins + window_bins];  ///< counted after that
    TailSums running[tail_bins + 1];             ///< the first block's, for a forecast
    PartSums parts;                              ///< summed by a split
    NearSums before_cell[most_cells + 1];        ///< the first block's, after a split: the cells before one, and core
  };
  unsigned int listed[2];  ///< pixels of the tail and of the window, whether there was room or not
  std::int32_t low_key, high_key;
  TailCuts cuts;
  WantedBins wanted;
  ZoneSide side[2];  ///< the forecast's, below and above the core
  unsigned int digits[256];
  float far[clip_warps][2 * warp_size];  ///< pixels that a warp has put aside (ThreadSums)
  std::int64_t partial[most_sums][clip_warps];
  // The leader's:
  PixelSums sums;               ///< of the last interval
  std::int64_t unmasked;        ///< pixels in the first interval, which is of all
  std::int64_t below_window;    ///< pixels
  bool tail_kept, window_kept;  ///< by all blocks
  NearSums core;
  unsigned int window_begin[window_bins + 1];
  std::int64_t known_first, known_count;  ///< ranks whose values are known: one for all, or in `sorted`
  bool known_equal;
  float4 unsorted[most_ranked / 4];
  float sorted[most_ranked];
};

/// All threads of a block meet. Unlike __syncthreads() it may be reached along different ways: the leader's warp comes
/// to what all blocks do from within the rounds, the other warps of its block from where they wait.
__device__ inline void sync_block() {
  __barrier_sync(0);
}

/// The parts of the clip find what the block shares here, not by a pointer: so the compiler knows that it is shared
/// memory.
__device__ inline ClipShared& shared() {
  extern __shared__ double memory[];
  return *reinterpret_cast<ClipShared*>(memory);
}

__device__ inline const ClipWork& work() {
  return shared().work;
}

__device__ inline ClipState& state() {
  return *work().state;
}

}  // namespace srcextract
