#pragma once

#include <cstdint>

#include "cuda/device/warp.hpp"
#include "stages/sky/clip.hpp"
#include "stages/sky/sky_sample.hpp"

namespace srcextract {

using Count = unsigned long long;  // the type that atomicAdd takes

inline constexpr int clip_threads = 512;
inline constexpr int clip_warps = clip_threads / warp_size;
inline constexpr int loads_per_thread = 4;
inline constexpr int thread_pixels = 4 * loads_per_thread;
inline constexpr int warp_tile = warp_size * thread_pixels;
inline constexpr int clip_tile = clip_threads * thread_pixels;

/// The tail's pixels are counted by their distance from the centre of the grid. There are 64 bins to a factor of two,
/// from 1 to 256 scales on either side. The innermost bin also has all nearer pixels, the outermost bin all further
/// ones. The counts serve a forecast (cuda/sky/clip_forecast.hpp), never a result.
inline constexpr int bins_per_octave = 64;
inline constexpr int side_bins = 8 * bins_per_octave;
inline constexpr int tail_bins = 2 * side_bins;

/// Number of bins of the window, all of equal width.
inline constexpr int window_bins = 4096;

/// The tail is cut at places where ends of clipped sets are expected. Odd parts, the zones, lie around such places,
/// even parts between them. The core lies in one of the even parts. A zone is made of cells of equal width; an even
/// part is a single cell.
inline constexpr int side_zones = 8;
inline constexpr int most_zones = 2 * side_zones;
inline constexpr int even_parts = most_zones + 1;
inline constexpr int least_cells = 128;
inline constexpr int most_cells = 512;

/// Most pixels that are listed of a cell of the window, so that one warp can rank them.
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

/// Commands of the leader to all blocks.
enum class ClipCommand { look, split, collect, sum, extremes, count_digits, end };

/// Source of pixels: the whole image, shared out among all blocks, or the lists of each block.
enum class ClipSource { image, tail, window };

/// Cuts of the tail: part k holds edge[k - 1] < x <= edge[k]. Edges behind the last one are +infinity.
struct TailCuts {
  static constexpr int room = 2 * most_zones;
  int zones;  ///< zone z is part 2 z + 1
  float edge[room];
  float per_unit[most_zones];  ///< cells per unit, by zone
  int first_cell[room + 2];    ///< by part

  /// The part of x: the number of edges below it.
  __device__ int part_of(float x) const {
    int part = 0;
#pragma unroll
    for (int step = room / 2; step > 0; step /= 2) part += x > edge[part + step - 1] ? step : 0;
    return part + (x > edge[part] ? 1 : 0);
  }
  /// The cell of x in a zone; never falls as x rises.
  __device__ int cell_of(float x, int part) const {
    const int begin = first_cell[part];
    const auto cell = static_cast<int>((x - edge[part - 1]) * per_unit[part / 2]);
    return begin + min(max(cell, 0), first_cell[part + 1] - begin - 1);
  }
};
static_assert(TailCuts::room == warp_size);  // part_of needs a power of two; the leader has a lane for each edge

/// Bins of the window whose pixels are collected, each bin in its own cells.
struct WantedBins {
  static constexpr int most = 64;
  int count;
  std::uint32_t bits[window_bins / 32];
  std::uint16_t before[window_bins / 32];  ///< wanted bins in earlier words

  __device__ bool has(int bin) const { return (bits[bin / 32] >> bin % 32 & 1u) != 0; }
  __device__ int list_of(int bin) const { return before[bin / 32] + __popc(bits[bin / 32] & ((1u << bin % 32) - 1u)); }
};

/// A cell of a wanted bin: the number of its pixels, and the extremes of their keys.
struct WindowCell {
  unsigned int count;
  std::int32_t low_key, high_key;
};

/// Device memory that the blocks of the clip share.
struct ClipState {
  SumGrid grid;
  ClipGuess guess;
  int samples;  ///< unmasked, sorted
  bool heavy;   ///< one value is so frequent in the window that the window is not worth keeping
  double zero_share;

  ClipCommand command;
  Interval interval;                  ///< before a split: known exactly; also the interval of sums and extremes
  std::uint32_t prefix, prefix_mask;  ///< `count_digits`: keys that begin so,
  int shift;                          ///< and the byte from this bit on
  ClipSource source;                  ///< for sums, extremes and digits
  TailCuts cuts;
  WantedBins wanted;

  // Results of a look.
  unsigned int chunks_taken;  ///< chunks of the image, behind the tiles with which the warps begin
  NearSums core;
  PixelSums tail;
  std::int64_t in_tail;       ///< pixels, with or without room
  std::int64_t above_window;  ///< pixels in the window or above it
  std::int32_t tail_low_key, tail_high_key;
  unsigned int tail_overflow, window_overflow;  ///< blocks that had no room
  unsigned int bins[tail_bins + window_bins];

  NearSums cell[most_cells];  ///< cells of the tail, after a split; the outermost ones have only counts
  std::int32_t cell_low[most_cells], cell_high[most_cells];  ///< extreme keys of the cells in zones

  // Results of other commands.
  PixelSums sums;
  std::int32_t low_key, high_key;
  Count digits[256];
  Count smallest;  ///< bits of the least |d| > 0
};

/// The first `threads` threads of a block call it.
__device__ inline void clear(PixelSums& sums, int threads) {
  if (threadIdx.x == 0) {
    sums.count = sums.below = 0;
    sums.classes = 1;
  }
  for (int k = static_cast<int>(threadIdx.x); k < sum_classes; k += threads) sums.first[k] = sums.second[k] = {0, 0};
}

/// Clears the results of a look. The first `threads` threads of a block call it.
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

/// Whether a value of the window is so frequent in the sorted sample that the window is not worth keeping. The answer
/// is yes if any of the first `threads` threads returns true.
__device__ inline bool is_heavy(const float* sorted, int samples, const Interval& window, int threads) {
  const int run = max(samples / 128, 16);
  bool heavy = false;
  for (int i = static_cast<int>(threadIdx.x); i + run < samples; i += threads) {
    const float x = sorted[i];
    if (window.contains(x) && x == sorted[i + run]) heavy = true;
  }
  return heavy;
}

/// The image and the working memory. Every block has its own parts of `tail` and `window`, and lists pixels there in
/// any order.
struct ClipWork {
  const float* pixels;
  std::int64_t count;
  const float* sorted;  ///< the sample
  float* tail;
  float* window;
  std::int64_t tail_room, window_room;  ///< room of one block
  float* cell_pixels;                   ///< pixels of the tail's cells, cell_room each: one warp sums a cell
  WindowCell* window_cell;
  float* window_pixels;  ///< pixels of these cells, window_cell_room each
  int cells;             ///< most cells of the tail
  int cell_room, window_cell_room;
  int bin_cells;    ///< cells per bin of the window, a power of two up to 256
  int first_tiles;  ///< tiles with which a warp begins
  int chunk_tiles;  ///< tiles of each later chunk
  double kappa;
  std::int64_t max_iterations;  ///< 0 = no limit
  ClipState* state;
  uint4* bright_quads;  ///< one entry per tile of a warp (BrightQuads); null if not wanted
  float* bright_limit;
};

/// Pixels of a block that wait to be listed, one column per thread (WaitingColumn).
struct WaitingPixels {
  static constexpr int room = 32;
  float pixel[room][clip_threads];
};

/// Sums of the even parts of a block's tail, in pieces of 17 bits, which are added without carry. Every lane of a warp
/// adds to its own words, so that no lane waits for another.
struct PartSums {
  static constexpr int pieces = 3;
  static constexpr int piece_bits = 17;
  /// Pixels that a block may add before its words are full: each lane number adds 1/32 of them.
  static constexpr std::int64_t most_pixels = std::int64_t{warp_size} << (32 - piece_bits);

  unsigned int count[even_parts][warp_size];
  unsigned int first[even_parts][pieces][warp_size];
  unsigned int second[even_parts][pieces][warp_size];
};

/// For the forecast: zones of one side, from the outermost inwards, in units of the pixels.
struct ZoneSide {
  int count;
  float begin[side_zones], end[side_zones];
};

/// For the forecast: running sums over the bins of the tail, of pixels, of deviations, and of squared deviations.
struct TailSums {
  double count, first, second;
  __device__ TailSums operator+(const TailSums& other) const {
    return {count + other.count, first + other.first, second + other.second};
  }
};

/// Most numbers that a block adds up at once.
inline constexpr int most_sums = 10;

/// Shared memory of a block.
struct ClipShared {
  ClipWork work;
  SumGrid grid;
  float per_scale;   ///< 1 / grid.scale
  float window_per;  ///< bins of the window per unit
  Interval near;
  ClipGuess guess;
  std::int64_t tail_listed, window_listed;  ///< pixels that this block has listed; 0 if there was no room
  PixelSums block;                          ///< this block's sums of classes beyond ThreadSums
  union {
    WaitingPixels waiting;                       ///< during a look
    unsigned int bins[tail_bins + window_bins];  ///< counted after the look
    TailSums running[tail_bins + 1];             ///< first block only, for a forecast
    PartSums parts;                              ///< during a split
    NearSums before_cell[most_cells + 1];  ///< first block only, after a split: sums of earlier cells and the core
  };
  unsigned int listed[2];  ///< pixels of the tail and of the window, with or without room
  std::int32_t low_key, high_key;
  TailCuts cuts;
  WantedBins wanted;
  ZoneSide side[2];  ///< the forecast's, below and above the core
  unsigned int digits[256];
  float far[clip_warps][2 * warp_size];  ///< pixels that a warp has put aside (ThreadSums)
  std::int64_t partial[most_sums][clip_warps];
  // The leader's:
  PixelSums sums;               ///< sums of the last interval
  std::int64_t unmasked;        ///< pixels in the first interval, which contains all
  std::int64_t below_window;    ///< pixels
  bool tail_kept, window_kept;  ///< true if every block had room
  NearSums core;
  unsigned int window_begin[window_bins + 1];
  std::int64_t known_first, known_count;  ///< ranks with known values: one value for all, or values in `sorted`
  bool known_equal;
  float4 unsorted[most_ranked / 4];
  float sorted[most_ranked];
};

/// A barrier of all threads of a block. Unlike __syncthreads() it may be reached from different places. The leader's
/// warp comes from within the rounds, the other warps of its block from where they wait.
__device__ inline void sync_block() {
  __barrier_sync(0);
}

/// The shared memory of the block. Through this function, not a pointer, the compiler knows that it is shared memory.
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
