#pragma once

#include "cuda/sky/clip_memory.hpp"

namespace srcextract {

inline constexpr int clip_threads = 512;
inline constexpr int clip_warps = clip_threads / warp_size;
inline constexpr int loads_per_thread = 4;
inline constexpr int thread_pixels = 4 * loads_per_thread;
inline constexpr int clip_tile = clip_threads * thread_pixels;

/// Numbers that a block adds up at once.
inline constexpr int most_sums = 10;

/// Values that are ranked by comparing each with each.
inline constexpr int few = clip_threads;

/// The image and the memory to work in. Every block lists what it finds in parts of `tail` and `window` of its own, in
/// any order.
struct ClipWork {
  const float* pixels;
  std::int64_t count;
  const float* sorted;  ///< the sample
  float* tail;
  float* window;
  std::int64_t tail_room, window_room;  ///< of a block
  float* zones;                         ///< those of zone z from z * zone_room on
  float* collected;                     ///< those of list k from k * ClipState::list_room on
  unsigned int zone_room, collected_room;
  int chunk_tiles;  ///< of a warp's tiles in a chunk
  double kappa;
  std::int64_t max_iterations;  ///< 0 = no limit
  ClipState* state;
};

/// Pixels of a block that are to be listed, a column a thread (WaitingColumn).
struct WaitingPixels {
  static constexpr int room = 32;
  float pixel[room][clip_threads];
};

/// Sums of the parts of a block's tail, in pieces of 17 bits that are added to with no carry. The lanes of a warp add
/// to words of their own, so that none waits for another.
struct PartSums {
  static constexpr int pieces = 3;
  static constexpr int piece_bits = 17;
  /// Pixels that a block may add before the words are full: each lane of its warps adds one in 32 of them.
  static constexpr std::int64_t most_pixels = std::int64_t{warp_size} << (32 - piece_bits);

  unsigned int count[most_parts][warp_size];
  unsigned int first[most_parts][pieces][warp_size];
  unsigned int second[most_parts][pieces][warp_size];
};

/// For the forecast: running sums over the bins of the tail, of pixels, their deviations, and the squares of these.
struct BinSums {
  unsigned int count[tail_bins + 1];
  double first[tail_bins + 1];
  double second[tail_bins + 1];
};

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
    PartSums parts;                              ///< summed by a split
    BinSums running;                             ///< the leader's, for a forecast
  };
  unsigned int listed[2];  ///< pixels of the tail and of the window, whether there was room or not
  std::int32_t low_key, high_key;
  TailCuts cuts;
  WantedBins wanted;
  unsigned int list_room;
  unsigned int digits[256];
  std::int64_t partial[most_sums][clip_warps];
  // The leader's:
  PixelSums sums;               ///< of the last interval
  std::int64_t unmasked;        ///< pixels in the first interval, which is of all
  std::int64_t below_window;    ///< pixels
  bool tail_kept, window_kept;  ///< by all blocks
  bool split;                   ///< since the look
  NearSums core;
  unsigned int window_begin[window_bins + 1];
  unsigned int in_zone[most_zones];
  NearSums before_part[most_parts + 1];  ///< sums of the parts before one
  Count digit_totals[256];
  std::int64_t cached_first, cached_count;  ///< ranks whose values are known: one for all, or all of them in `sorted`
  bool cached_equal;
  float4 cache[few / 4];  ///< unsorted
  float sorted[few];
  unsigned int gathered;
};

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
