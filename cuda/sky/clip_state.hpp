#pragma once

#include <cstdint>

#include "cuda/device/warp.hpp"
#include "stages/sky/clip.hpp"
#include "stages/sky/sky_sample.hpp"

namespace srcextract {

using Count = unsigned long long;  // the type that atomicAdd takes

/// Threads and warps of a block of the clip, loads of four pixels by a thread, and tiles. A tile has the pixels that a
/// warp (warp_tile) or a block (clip_tile) reads at a time.
inline constexpr int clip_threads = 512;
inline constexpr int clip_warps = clip_threads / warp_size;
inline constexpr int loads_per_thread = 4;
inline constexpr int thread_pixels = 4 * loads_per_thread;
inline constexpr int warp_tile = warp_size * thread_pixels;
inline constexpr int clip_tile = clip_threads * thread_pixels;

/// Bins in which the tail's pixels are counted by their distance from the grid's centre. There are 64 bins to a factor
/// of two, from 1 to 256 scales on either side. The innermost bin also has all nearer pixels, the outermost all further
/// ones. The counts serve a forecast (cuda/sky/clip_forecast.hpp), never a result.
inline constexpr int bins_per_octave = 64;
inline constexpr int side_bins = 8 * bins_per_octave;
inline constexpr int tail_bins = 2 * side_bins;

/// Number of bins of the window, all of equal width.
inline constexpr int window_bins = 4096;

/// The tail is cut into parts by value. Odd parts, the zones, lie where ends of clipped sets are expected, even parts
/// between them. The core lies in one of the even parts. A zone is divided into cells of equal width; an even part is a
/// single cell.
inline constexpr int side_zones = 8;
inline constexpr int most_zones = 2 * side_zones;
inline constexpr int even_parts = most_zones + 1;
inline constexpr int least_cells = 128;
inline constexpr int most_cells = 512;

/// Most pixels that are listed for a cell of the window, so that one warp can rank them.
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

/// Where a command reads pixels: the whole image, shared out among all blocks, or the list of tail or window of each
/// block.
enum class ClipSource { image, tail, window };

/// Where the tail is cut by value: part k holds the pixels with edge[k - 1] < x <= edge[k]. Edges behind the last one
/// are +infinity.
struct TailCuts {
  static constexpr int room = 2 * most_zones;
  int zones;  ///< zone z is part 2 z + 1
  float edge[room];
  float per_unit[most_zones];  ///< per zone: number of cells per unit of pixel values
  int first_cell[room + 2];    ///< per part: its first cell

  /// The number of the part that holds x: the number of edges below x.
  __device__ int part_of(float x) const {
    int part = 0;
#pragma unroll
    for (int step = room / 2; step > 0; step /= 2) part += x > edge[part + step - 1] ? step : 0;
    return part + (x > edge[part] ? 1 : 0);
  }
  /// The cell that holds x in the zone `part`. A larger x is never in an earlier cell.
  __device__ int cell_of(float x, int part) const {
    const int begin = first_cell[part];
    const auto cell = static_cast<int>((x - edge[part - 1]) * per_unit[part / 2]);
    return begin + min(max(cell, 0), first_cell[part + 1] - begin - 1);
  }
};
static_assert(TailCuts::room == warp_size);  // part_of needs a power of two; the leader has a lane per edge

/// The bins of the window whose pixels are collected, each bin in cells of its own.
struct WantedBins {
  static constexpr int most = 64;
  int count;
  std::uint32_t bits[window_bins / 32];
  std::uint16_t before[window_bins / 32];  ///< wanted bins in earlier words

  __device__ bool has(int bin) const { return (bits[bin / 32] >> bin % 32 & 1u) != 0; }
  __device__ int list_of(int bin) const { return before[bin / 32] + __popc(bits[bin / 32] & ((1u << bin % 32) - 1u)); }
};

/// A cell of a wanted bin: its number of pixels, and the least and largest key of them.
struct WindowCell {
  unsigned int count;
  std::int32_t low_key, high_key;
};

/// State of a clip in device memory, which all its blocks share.
struct ClipState {
  SumGrid grid;
  ClipGuess guess;
  int samples;  ///< number of unmasked pixels in the sample
  bool heavy;   ///< one value is too frequent in the window for keeping its pixels
  double zero_share;

  ClipCommand command;
  /// for `split`: the set with known sums; for `sum` and `extremes`: the set to read
  Interval interval;
  std::uint32_t prefix, prefix_mask;  ///< for `count_digits`: keys with key & prefix_mask == prefix are counted
  int shift;                          ///< for `count_digits`: lowest bit of the byte that is counted
  ClipSource source;                  ///< where `sum`, `extremes` and `count_digits` read pixels
  TailCuts cuts;
  WantedBins wanted;

  // Results of a look.
  unsigned int chunks_taken;  ///< chunks of the image taken, after the tiles with which warps begin
  NearSums core;
  PixelSums tail;
  std::int64_t in_tail;       ///< number of pixels in the tail, listed or not
  std::int64_t above_window;  ///< number of pixels in the window or above it
  std::int32_t tail_low_key, tail_high_key;
  unsigned int tail_overflow, window_overflow;  ///< numbers of blocks that had no room for their list
  unsigned int bins[tail_bins + window_bins];

  NearSums cell[most_cells];  ///< tail's cells, after a split; the outermost have only counts
  std::int32_t cell_low[most_cells], cell_high[most_cells];  ///< extreme keys of the cells in zones

  // Results of other commands.
  PixelSums sums;
  std::int32_t low_key, high_key;
  Count digits[256];
  Count smallest;  ///< bits of the least |d| > 0 of the image
};

/// Sets sums to zero. The first `threads` threads of a block call it.
__device__ inline void clear(PixelSums& sums, int threads) {
  if (threadIdx.x == 0) {
    sums.count = sums.below = 0;
    sums.classes = 1;
  }
  for (int k = static_cast<int>(threadIdx.x); k < sum_classes; k += threads) sums.first[k] = sums.second[k] = {0, 0};
}

/// Clears the results of reading the image. The first `threads` threads of a block call it.
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

/// Whether one value of the window is so frequent in the sorted sample that the window is not worth keeping. Each of
/// the first `threads` threads tests a part; the answer is yes if any of them returns true.
__device__ inline bool is_heavy(const float* sorted, int samples, const Interval& window, int threads) {
  const int run = max(samples / 128, 16);
  bool heavy = false;
  for (int i = static_cast<int>(threadIdx.x); i + run < samples; i += threads) {
    const float x = sorted[i];
    if (window.contains(x) && x == sorted[i + run]) heavy = true;
  }
  return heavy;
}

/// Input and working memory of a clip. Every block has its own range of `tail` and of `window`, where it lists pixels
/// in any order.
struct ClipWork {
  const float* pixels;
  std::int64_t count;
  const float* sorted;  ///< unmasked pixels of the sample, sorted
  float* tail;
  float* window;
  std::int64_t tail_room, window_room;  ///< most pixels that the list of one block can hold
  float* cell_pixels;                   ///< pixels of the tail's cells, up to cell_room per cell; one warp sums a cell
  WindowCell* window_cell;
  float* window_pixels;  ///< pixels of the window's cells, up to window_cell_room per cell
  int cells;             ///< most cells that the tail may have
  int cell_room, window_cell_room;
  int bin_cells;    ///< cells per bin of the window, a power of two up to 256
  int first_tiles;  ///< number of tiles that a warp reads at first
  int chunk_tiles;  ///< number of tiles in each chunk that it takes later
  double kappa;
  std::int64_t max_iterations;  ///< 0 = no limit
  ClipState* state;
  uint4* bright_quads;  ///< one entry per warp tile (BrightQuads); null if not wanted
  float* bright_limit;
};

/// Pixels of a block that wait until they are listed, one column per thread (WaitingColumn).
struct WaitingPixels {
  static constexpr int room = 32;
  float pixel[room][clip_threads];
};

/// Sums over those pixels of a block's tail that are in even parts (TailCuts), in pieces of 17 bits, so that no
/// addition carries. Every lane of a warp adds to words of its own, so that no lane waits for another.
struct PartSums {
  static constexpr int pieces = 3;
  static constexpr int piece_bits = 17;
  /// Most pixels that a block may add before a word may overflow: each word gets every 32nd pixel.
  static constexpr std::int64_t most_pixels = std::int64_t{warp_size} << (32 - piece_bits);

  unsigned int count[even_parts][warp_size];
  unsigned int first[even_parts][pieces][warp_size];
  unsigned int second[even_parts][pieces][warp_size];
};

/// Zones on one side of the core while they are forecast, from the outermost inwards, with ends in units of the pixels.
struct ZoneSide {
  int count;
  float begin[side_zones], end[side_zones];
};

/// Running sums over the bins of the tail, for a forecast: of pixels, deviations, and squared deviations.
struct TailSums {
  double count, first, second;
  __device__ TailSums operator+(const TailSums& other) const {
    return {count + other.count, first + other.first, second + other.second};
  }
};

/// Most numbers that a block sums at once (sum_over_block).
inline constexpr int most_sums = 10;

/// Shared memory of a block.
struct ClipShared {
  ClipWork work;
  SumGrid grid;
  float per_scale;   ///< 1 / grid.scale
  float window_per;  ///< bins of the window per unit
  Interval near;
  ClipGuess guess;
  std::int64_t tail_listed, window_listed;  ///< number of pixels in this block's lists; 0 if there was no room for all
  PixelSums block;                          ///< this block's sums of the classes that ThreadSums leaves out
  union {
    WaitingPixels waiting;                       ///< during a look
    unsigned int bins[tail_bins + window_bins];  ///< counted after the look
    TailSums running[tail_bins + 1];             ///< first block only, for a forecast
    PartSums parts;                              ///< during a split
    NearSums before_cell[most_cells + 1];        ///< first block only, after a split: running sums of cells and core
  };
  unsigned int listed[2];  ///< numbers of pixels of tail and window that the block has found, listed or not
  std::int32_t low_key, high_key;
  TailCuts cuts;
  WantedBins wanted;
  ZoneSide side[2];  ///< zones of the forecast, below and above the core
  unsigned int digits[256];
  float far[clip_warps][2 * warp_size];  ///< pixels that a warp has set aside (ThreadSums)
  std::int64_t partial[most_sums][clip_warps];
  // Members that only the leader uses:
  PixelSums sums;               ///< sums of the last interval
  std::int64_t unmasked;        ///< number of pixels in the first interval, which has all
  std::int64_t below_window;    ///< number of pixels below the window
  bool tail_kept, window_kept;  ///< true if every block had room
  NearSums core;
  unsigned int window_begin[window_bins + 1];
  std::int64_t known_first, known_count;  ///< the ranks with known values begin at known_first; values are in `sorted`
  bool known_equal;                       ///< all known values are sorted[0]
  float4 unsorted[most_ranked / 4];
  float sorted[most_ranked];
};

/// A barrier of all threads of a block. Unlike __syncthreads(), threads may reach it from different places of the code:
/// the leader's warp from within the rounds, the other warps from where they wait.
__device__ inline void sync_block() {
  __barrier_sync(0);
}

/// Returns the shared memory of the block. With a function in place of a pointer the compiler knows that it is shared
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
