#pragma once

#include <cstdint>

#include "cuda/device/warp.hpp"
#include "stages/sky/clip.hpp"
#include "stages/sky/sky_sample.hpp"

namespace srcextract {

using Count = unsigned long long;  // the only unsigned 64-bit type that atomicAdd accepts

/// Sizes of the clip kernel. A tile is the set of pixels that a warp (warp_tile) or a block (clip_tile) reads at a
/// time.
inline constexpr int clip_threads = 512;
inline constexpr int clip_warps = clip_threads / warp_size;
inline constexpr int loads_per_thread = 4;
inline constexpr int thread_pixels = 4 * loads_per_thread;
inline constexpr int warp_tile = warp_size * thread_pixels;
inline constexpr int clip_tile = clip_threads * thread_pixels;

/// Bins that count the tail's pixels (pixels outside the core) by their distance from the grid's centre: 64 bins per
/// factor of two, from 1 to 256 times the grid's scale, on either side. The innermost bins also count all nearer
/// pixels, the outermost bins all farther pixels. The counts are for a forecast only (clip_forecast.hpp); results do
/// not depend on them.
inline constexpr int bins_per_octave = 64;
inline constexpr int side_bins = 8 * bins_per_octave;
inline constexpr int tail_bins = 2 * side_bins;

/// Number of equally wide bins of the window, the interval of pixel values expected to hold the medians.
inline constexpr int window_bins = 4096;

/// The tail is divided into parts, intervals of pixel value. Odd parts, the zones, lie where ends of clipped sets are
/// expected; even parts lie between the zones. The core lies in an even part. A zone consists of cells of equal width;
/// an even part is a single cell.
inline constexpr int side_zones = 8;
inline constexpr int most_zones = 2 * side_zones;
inline constexpr int even_parts = most_zones + 1;
inline constexpr int least_cells = 128;
inline constexpr int most_cells = 512;

/// Largest number of pixels that are listed for a cell of the window: one warp must be able to sort them.
inline constexpr int most_ranked = 256;

/// Sums over pixels close to the grid's centre, of class 0 (SumGrid::near).
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

/// Commands of the leader, the first warp of the first block, to all blocks.
enum class ClipCommand { look, split, collect, sum, extremes, count_digits, end };

/// The pixels that a command reads: the whole image, divided among all blocks, or each block's list of the tail or of
/// the window.
enum class ClipSource { image, tail, window };

/// The values at which the tail is divided: part k holds the pixels with edge[k - 1] < x <= edge[k]. Unused edges are
/// +infinity.
struct TailCuts {
  static constexpr int room = 2 * most_zones;
  int zones;  ///< number of zones; zone z is part 2 z + 1
  float edge[room];
  float per_unit[most_zones];  ///< for each zone: number of cells per unit of pixel value
  int first_cell[room + 2];    ///< for each part: number of its first cell

  /// Returns the number of the part that contains x, which is the number of edges below x.
  __device__ int part_of(float x) const {
    int part = 0;
#pragma unroll
    for (int step = room / 2; step > 0; step /= 2) part += x > edge[part + step - 1] ? step : 0;
    return part + (x > edge[part] ? 1 : 0);
  }
  /// Returns the cell that contains x in the zone `part`. The result never decreases as x increases.
  __device__ int cell_of(float x, int part) const {
    const int begin = first_cell[part];
    const auto cell = static_cast<int>((x - edge[part - 1]) * per_unit[part / 2]);
    return begin + min(max(cell, 0), first_cell[part + 1] - begin - 1);
  }
};
// part_of() needs a power of two; in the leader, each lane compares with one edge
static_assert(TailCuts::room == warp_size);

/// The bins of the window whose pixels blocks collect. Each wanted bin has its own cells.
struct WantedBins {
  static constexpr int most = 64;
  int count;
  std::uint32_t bits[window_bins / 32];
  std::uint16_t before[window_bins / 32];  ///< for each word of `bits`: number of wanted bins in earlier words

  __device__ bool has(int bin) const { return (bits[bin / 32] >> bin % 32 & 1u) != 0; }
  __device__ int list_of(int bin) const { return before[bin / 32] + __popc(bits[bin / 32] & ((1u << bin % 32) - 1u)); }
};

/// A cell of a wanted bin of the window: number of pixels, and smallest and largest signed_key() of a pixel.
struct WindowCell {
  unsigned int count;
  std::int32_t low_key, high_key;
};

/// State of a clip, in device memory; all blocks use the same state.
struct ClipState {
  SumGrid grid;
  ClipGuess guess;
  int samples;  ///< number of unmasked pixels in the sample (stages/sky/sky_sample.hpp)
  bool heavy;   ///< one value is so frequent in the window that listing the window's pixels would not help
  double zero_share;

  ClipCommand command;
  /// an interval of pixel values; for the command `split`: the clipped set that is summed next, from which the later
  /// sets are forecast; for `sum` and `extremes`: the set whose pixels are read
  Interval interval;
  /// for `count_digits`: pixels whose key has key & prefix_mask == prefix are counted
  std::uint32_t prefix, prefix_mask;
  int shift;          ///< for `count_digits`: lowest bit of the byte to count
  ClipSource source;  ///< for `sum`, `extremes` and `count_digits`: the pixels to read
  TailCuts cuts;
  WantedBins wanted;

  // Results of the command `look`, which reads the whole image.
  /// number of chunks of the image that warps have taken, besides the tiles with which each warp begins
  unsigned int chunks_taken;
  NearSums core;
  PixelSums tail;
  std::int64_t in_tail;       ///< number of pixels in the tail, including pixels that lists could not hold
  std::int64_t above_window;  ///< number of pixels above the window's lower end
  std::int32_t tail_low_key, tail_high_key;
  unsigned int tail_overflow, window_overflow;  ///< numbers of blocks whose list was too short
  unsigned int bins[tail_bins + window_bins];

  NearSums cell[most_cells];  ///< sums of the tail's cells, after `split`; of the outermost cells, only the counts
  std::int32_t cell_low[most_cells], cell_high[most_cells];  ///< smallest and largest key in each cell of a zone

  PixelSums sums;
  std::int32_t low_key, high_key;
  Count digits[256];
  /// bits of the smallest |d| > 0 in the image, as a double; d is the deviation from the grid's centre
  Count smallest;
};

/// Sets sums to 0. The first `threads` threads of a block must call this function together.
__device__ inline void clear(PixelSums& sums, int threads) {
  if (threadIdx.x == 0) {
    sums.count = sums.below = 0;
    sums.classes = 1;
  }
  for (int k = static_cast<int>(threadIdx.x); k < sum_classes; k += threads) sums.first[k] = sums.second[k] = {0, 0};
}

/// Clears the results of the command `look`. The first `threads` threads of a block must call this function together.
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

/// Whether one value in the window is so frequent that listing the window's pixels would not help: more than 16 times
/// and in more than 1/128 of the sorted sample. Each of the first `threads` threads of a block tests a part of the
/// sample; the answer is true if any thread returns true.
__device__ inline bool is_heavy(const float* sorted, int samples, const Interval& window, int threads) {
  const int run = max(samples / 128, 16);
  bool heavy = false;
  for (int i = static_cast<int>(threadIdx.x); i + run < samples; i += threads) {
    const float x = sorted[i];
    if (window.contains(x) && x == sorted[i + run]) heavy = true;
  }
  return heavy;
}

/// Input and working memory of a clip. Every block lists pixels, in any order, in its own section of `tail` and of
/// `window`.
struct ClipWork {
  const float* pixels;
  std::int64_t count;
  const float* sorted;  ///< the sample's unmasked pixels, in ascending order
  float* tail;
  float* window;
  std::int64_t tail_room, window_room;  ///< largest number of pixels in a block's list
  float* cell_pixels;                   ///< pixels of the tail's cells, up to cell_room for each cell
  WindowCell* window_cell;
  float* window_pixels;  ///< pixels of the window's cells, up to window_cell_room for each cell
  int cells;             ///< largest number of cells of the tail
  int cell_room, window_cell_room;
  int bin_cells;    ///< number of cells in each bin of the window, a power of two up to 256
  int first_tiles;  ///< number of tiles that each warp reads first, without taking a chunk
  int chunk_tiles;  ///< number of tiles in each chunk that a warp takes later
  double kappa;
  std::int64_t max_iterations;  ///< 0: no limit
  ClipState* state;
  uint4* bright_quads;  ///< one entry for each warp tile (BrightQuads); null if the caller does not need bright quads
  float* bright_limit;
};

/// Pixels of a block that are not listed yet, in one column for each thread (WaitingColumn).
struct WaitingPixels {
  static constexpr int room = 32;
  float pixel[room][clip_threads];
};

/// Sums over those pixels of a block's tail that are in even parts (TailCuts). A sum is stored in pieces of 17 bits,
/// each in a 32-bit word, so that additions never carry from word to word. Each lane adds to its own words, so that
/// atomic additions of different lanes do not collide.
struct PartSums {
  static constexpr int pieces = 3;
  static constexpr int piece_bits = 17;
  /// Number of pixels that a block may add before a word could overflow: each word gets every 32nd pixel.
  static constexpr std::int64_t most_pixels = std::int64_t{warp_size} << (32 - piece_bits);

  unsigned int count[even_parts][warp_size];
  unsigned int first[even_parts][pieces][warp_size];
  unsigned int second[even_parts][pieces][warp_size];
};

/// Forecast zones on one side of the core, from the outermost inwards. `begin` and `end` are pixel values.
struct ZoneSide {
  int count;
  float begin[side_zones], end[side_zones];
};

/// Running sums over the bins of the tail, for a forecast: number of pixels, deviations, and squared deviations, in
/// units of the grid's scale.
struct TailSums {
  double count, first, second;
  __device__ TailSums operator+(const TailSums& other) const {
    return {count + other.count, first + other.first, second + other.second};
  }
};

/// Largest number of sums that sum_over_block() computes in one call.
inline constexpr int most_sums = 10;

/// Shared memory of a block of the clip kernel.
struct ClipShared {
  ClipWork work;
  SumGrid grid;
  float per_scale;   ///< 1 / grid.scale
  float window_per;  ///< bins of the window per unit of pixel value
  Interval near;
  ClipGuess guess;
  /// number of usable pixels in this block's lists; 0 if the list was too short
  std::int64_t tail_listed, window_listed;
  PixelSums block;  ///< this block's sums of the classes from 2 on, which ThreadSums does not hold
  union {
    WaitingPixels waiting;                       ///< during the command `look`
    unsigned int bins[tail_bins + window_bins];  ///< counted at the end of `look`
    TailSums running[tail_bins + 1];             ///< first block only: during a forecast
    PartSums parts;                              ///< during the command `split`
    /// first block only, after `split`: running sums of the tail's cells, including the core
    NearSums before_cell[most_cells + 1];
  };
  /// numbers of pixels of tail and window that the block has found, including pixels that its lists could not hold
  unsigned int listed[2];
  std::int32_t low_key, high_key;
  TailCuts cuts;
  WantedBins wanted;
  ZoneSide side[2];  ///< forecast zones below and above the core
  unsigned int digits[256];
  float far[clip_warps][2 * warp_size];  ///< pixels that a warp has set aside to sum later (ThreadSums)
  std::int64_t partial[most_sums][clip_warps];
  // Members that only the leader uses, the first warp of the first block:
  PixelSums sums;               ///< sums of the last interval that clip() requested
  std::int64_t unmasked;        ///< number of unmasked pixels in the image
  std::int64_t below_window;    ///< number of pixels below the window
  bool tail_kept, window_kept;  ///< true if no block's list was too short
  NearSums core;
  unsigned int window_begin[window_bins + 1];
  /// the pixels of ranks known_first to known_first + known_count - 1 are in `sorted`
  std::int64_t known_first, known_count;
  bool known_equal;  ///< all these pixels equal sorted[0]
  float4 unsorted[most_ranked / 4];
  float sorted[most_ranked];
};

/// A barrier of all threads of a block. Unlike with __syncthreads(), threads may wait at different places of the code:
/// the leader's warp inside the iterations of the clip, other warps in follow_leader().
__device__ inline void sync_block() {
  __barrier_sync(0);
}

/// Returns the shared memory of the block. With a pointer in a variable, the compiler would not know that the pointer
/// refers to shared memory.
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
