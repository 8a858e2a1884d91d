#pragma once

#include <cooperative_groups.h>

#include "cuda/sky/clip_forecast.hpp"

namespace srcextract {

/// Steps of the kappa-sigma clip that all blocks execute together; every block must call the same functions in the same
/// order. The leader (first warp of the first block) gives a command by writing the command to the ClipState in device
/// memory, which all blocks share. When obey() returns, ClipState holds the merged results of all blocks.

/// A barrier of all blocks. Only the first thread of a block waits for other blocks, so its warp must be synchronised
/// afterwards.
__device__ inline void sync_blocks() {
  cooperative_groups::this_grid().sync();
  __syncwarp();
}

template <class T>
__device__ void copy_by_block(T& to, const T& from) {
  auto* const words = reinterpret_cast<unsigned int*>(&to);
  constexpr int count = sizeof(T) / sizeof(unsigned int);
  for (int i = static_cast<int>(threadIdx.x); i < count; i += clip_threads) {
    words[i] = reinterpret_cast<const unsigned int*>(&from)[i];
  }
}

/// Sorts pixels of the window into cells, narrow parts of the bins, if state().wanted marks their bin. Also finds the
/// smallest and largest pixel of each cell. The window is the interval of pixel values expected to hold the medians.
__device__ inline void collect() {
  ClipShared& s = shared();
  copy_by_block(s.wanted, state().wanted);
  sync_block();
  if (s.wanted.count == 0) return;
  const int parts = work().bin_cells;
  const float lower = s.guess.window.lower;
  const float per_unit = s.window_per * static_cast<float>(parts);
  const int shift = __ffs(parts) - 1;
  const unsigned int room = work().window_cell_room;
  WindowCell* const cells = work().window_cell;
  float* const listed = work().window_pixels;
  for_each_of(window_list(), s.window_listed, [&](float x) {
    if (x != x) return;
    const int part = window_bin(x, lower, per_unit, parts);
    const int bin = part >> shift;
    if (!s.wanted.has(bin)) return;
    const int number = (s.wanted.list_of(bin) << shift) + (part & (parts - 1));
    WindowCell& cell = cells[number];
    const unsigned int at = atomicAdd(&cell.count, 1u);
    if (at < room) listed[static_cast<std::size_t>(number) * room + at] = x;
    atomicMin(&cell.low_key, signed_key(x + 0.0F));
    atomicMax(&cell.high_key, signed_key(x + 0.0F));
  });
}

/// Splits a value, 0 <= value < 2^51, into PartSums::pieces pieces of piece_bits bits, and adds each piece to this
/// lane's word.
__device__ inline void add_pieces(unsigned int (&to)[PartSums::pieces][warp_size], std::int64_t value) {
  constexpr unsigned int mask = (1u << PartSums::piece_bits) - 1;
#pragma unroll
  for (int piece = 0; piece < PartSums::pieces; ++piece) {
    atomicAdd(&to[piece][lane()], static_cast<unsigned int>(value >> (piece * PartSums::piece_bits)) & mask);
  }
}

/// Returns the sum that this lane's words represent; the reverse of add_pieces().
__device__ inline ExactSum sum_of_pieces(const unsigned int (&pieces)[PartSums::pieces][warp_size]) {
  ExactSum sum;
  for (int piece = 0; piece < PartSums::pieces; ++piece) {
    const Count words = pieces[piece][lane()];
    const int shift = piece * PartSums::piece_bits;
    sum.low += static_cast<std::int64_t>((words << shift) & 0xffffffffu);
    sum.high += static_cast<std::int64_t>(shift < 32 ? words >> (32 - shift) : words << (shift - 32));
  }
  return sum;
}

/// Sums up to PartSums::most_pixels pixels of the tail (pixels outside the core) by cells, and lists the pixels of
/// cells in zones (TailCuts). The lowest and the highest part may hold pixels too far from the grid's centre for
/// NearSums, so only their counts are kept.
__device__ inline void add_to_cells(const float* pixels, std::int64_t count) {
  // makes every first term positive: a near pixel's term is larger than -bias
  constexpr std::int64_t bias = std::int64_t{1} << 50;
  ClipShared& s = shared();
  NearSums* const cells = state().cell;
  float* const listed = work().cell_pixels;
  auto* const words = reinterpret_cast<unsigned int*>(&s.parts);
  for (std::size_t i = threadIdx.x; i < sizeof(PartSums) / sizeof(unsigned int); i += clip_threads) words[i] = 0;
  sync_block();
  const RoundingConstants round(s.grid.scale);
  const double centre = s.grid.centre;
  const int last = 2 * s.cuts.zones;
  const unsigned int cell_room = work().cell_room;
  for_each_of(pixels, count, [&](float x) {
    if (x != x) return;
    const int part = s.cuts.part_of(x);
    const NearTerms terms(x - centre, round);
    if (part % 2 == 0) {
      atomicAdd(&s.parts.count[part / 2][lane()], 1u);
      if (part == 0 || part == last) return;
      add_pieces(s.parts.first[part / 2], terms.first + bias);
      add_pieces(s.parts.second[part / 2], terms.second);
      return;
    }
    const int number = s.cuts.cell_of(x, part);
    NearSums& cell = cells[number];
    const Count at = atomicAdd(reinterpret_cast<Count*>(&cell.count), Count{1});
    if (at < cell_room) listed[static_cast<std::size_t>(number) * cell_room + at] = x;
    ExactSum first, second;
    first.add(terms.first);
    second.add(terms.second);
    add_atomic(cell.first, first);
    add_atomic(cell.second, second);
    atomicMin(&state().cell_low[number], signed_key(x + 0.0F));
    atomicMax(&state().cell_high[number], signed_key(x + 0.0F));
  });
  sync_block();
  for (int part = static_cast<int>(threadIdx.x) / warp_size; part <= s.cuts.zones; part += clip_warps) {
    NearSums& cell = cells[s.cuts.first_cell[2 * part]];
    const std::int64_t pixels_here = s.parts.count[part][lane()];
    add_warp(cell.count, pixels_here);
    if (part == 0 || 2 * part == last) continue;
    ExactSum first = sum_of_pieces(s.parts.first[part]);
    first.high -= pixels_here * (bias >> 32);
    add_warp(cell.first, first);
    add_warp(cell.second, sum_of_pieces(s.parts.second[part]));
  }
  sync_block();
}

/// Computes running sums over the cells of the tail, after adding the core's sums to the cell of the part in which the
/// core lies. Only the first block calls this function.
__device__ inline void sum_cells_before() {
  ClipShared& s = shared();
  const int core_cell = s.cuts.first_cell[s.cuts.part_of(next_above(s.guess.core.lower))];
  const auto sums_of = [&](int cell) { return cell == core_cell ? state().cell[cell] + s.core : state().cell[cell]; };
  scan_block<most_cells>(sums_of, s.before_cell);
}

/// Divides the tail into cells, with narrow cells where ends of the clipped sets after `known` are expected. Also
/// collects the pixels of the window that are expected to be medians.
__device__ inline void split_from(const Interval& known) {
  ClipShared& s = shared();
  if (blockIdx.x == 0) {
    ClipForecast::run(known);
    static_assert(most_cells == clip_threads);
    state().cell[threadIdx.x] = {};
    clear_extremes(state().cell_low[threadIdx.x], state().cell_high[threadIdx.x]);
  }
  sync_blocks();
  copy_by_block(s.cuts, state().cuts);
  sync_block();
  for (std::int64_t begin = 0; begin < s.tail_listed && s.cuts.zones > 0; begin += PartSums::most_pixels) {
    add_to_cells(tail_list() + begin, min(PartSums::most_pixels, s.tail_listed - begin));
  }
  collect();
  sync_blocks();
  if (blockIdx.x == 0) sum_cells_before();
}

/// Reads all pixels of the image once; the blocks divide the pixels among themselves. Returns false if the list of some
/// block was too short for its pixels of the tail. The lists are useless in that case, since a part of the tail is
/// missing.
__device__ inline bool look() {
  ClipShared& s = shared();
  look_at_all();
  sync_blocks();
  if (blockIdx.x == 0) {
    scan_block<window_bins>([bins = state().bins + tail_bins](int bin) { return bins[bin]; }, s.window_begin);
    ClipForecast::clear_wanted(clip_threads);
    if (threadIdx.x == 0) {
      s.core = state().core;
      s.below_window = state().core.count + state().in_tail - state().above_window;
      s.window_kept = state().window_overflow == 0;
      s.known_count = 0;
      constexpr float infinity = std::numeric_limits<float>::infinity();
      state().interval = {-infinity, infinity};
    }
  }
  if (threadIdx.x == 0) s.tail_kept = state().tail_overflow == 0;
  sync_block();
  return s.tail_kept;
}

// --- Commands to read pixels again, where the results of look() and split_from() are not enough.

/// Sums the pixels of state().source in state().interval, and counts the pixels below the interval.
__device__ inline void sum_interval() {
  ClipShared& s = shared();
  clear(s.block, clip_threads);
  sync_block();
  const Interval interval = state().interval;
  ThreadSums sums(s.grid);
  std::int64_t below = 0;
  for_each_in(state().source, [&](float x) {
    below += x <= interval.lower;
    sums.add(interval.contains(x), x);
  });
  bring_sums(state().sums, sums, below);
}

/// Finds the smallest and largest pixel of state().source in state().interval.
__device__ inline void find_extremes() {
  const Interval interval = state().interval;
  Extremes extremes;
  for_each_in(state().source, [&](float x) {
    if (interval.contains(x)) add_extreme(extremes, x);
  });
  bring_extremes(state().low_key, state().high_key, extremes);
}

/// One step of a radix search. Among pixels whose key (bits in ascending order of value) begins with state().prefix,
/// counts how often each value of the next byte occurs. Equal bytes in a warp are counted by one atomic addition, since
/// one pixel value may fill the image.
__device__ inline void count_digits() {
  ClipShared& s = shared();
  const std::uint32_t prefix = state().prefix;
  const std::uint32_t mask = state().prefix_mask;
  const int shift = state().shift;
  for (int i = static_cast<int>(threadIdx.x); i < 256; i += clip_threads) s.digits[i] = 0;
  sync_block();
  const auto count = [&](float x) {
    const std::uint32_t key = ordered_key(x + 0.0F);
    const bool counted = x == x && (key & mask) == prefix;
    const unsigned int digit = counted ? key >> shift & 255u : 256u;
    const Peers same(digit);
    if (counted && same.is_first()) atomicAdd(&s.digits[digit], same.count());
  };
  for_each_in(state().source, count);
  sync_block();
  for (int i = static_cast<int>(threadIdx.x); i < 256; i += clip_threads) {
    if (s.digits[i] != 0) atomicAdd(&state().digits[i], static_cast<Count>(s.digits[i]));
  }
}

/// Sets the grid's scale from the smallest |d| > 0 of the image, where d is a pixel's deviation from the grid's centre.
/// Needed if the sample has no spread. The grid defines the rounding of sums (SumGrid).
__device__ inline void find_smallest_scale() {
  const SumGrid grid = state().grid;
  Count smallest = ~Count{0};
  for_each_in(ClipSource::image, [&](float x) {
    const double distance = fabs(grid.deviation(x));
    if (distance > 0) smallest = min(smallest, static_cast<Count>(bits_of(distance)));
  });
  for (int reach = warp_size / 2; reach > 0; reach /= 2) {
    smallest = min(smallest, __shfl_down_sync(all_lanes, smallest, reach));
  }
  if (first_lane()) atomicMin(&state().smallest, smallest);
  sync_blocks();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    const Count bits = state().smallest;
    double distance = 1;
    if (bits != ~Count{0}) memcpy(&distance, &bits, sizeof(distance));
    state().grid.scale = power_of_two_below(distance);
  }
  sync_blocks();
}

// --- The leader and the other warps.

/// Executes the command in state().command. All blocks, including the leader's block, must call obey() together.
__device__ __noinline__ void obey() {
  switch (state().command) {
    case ClipCommand::look:
      if (!look()) break;
      [[fallthrough]];
    case ClipCommand::split:
      return split_from(state().interval);
    case ClipCommand::collect:
      collect();
      break;
    case ClipCommand::sum:
      sum_interval();
      break;
    case ClipCommand::extremes:
      find_extremes();
      break;
    case ClipCommand::count_digits:
      count_digits();
      break;
    case ClipCommand::end:
      return;
  }
  sync_blocks();
}

__device__ inline void begin_clip(const ClipWork& work) {
  if (threadIdx.x == 0) shared().work = work;
  sync_block();
  if (state().grid.scale == 0) find_smallest_scale();
  obey();
}

/// Executes the leader's commands until the command `end`. All warps other than the leader call this function.
__device__ inline void follow_leader() {
  for (;;) {
    sync_blocks();
    if (state().command == ClipCommand::end) return;
    obey();
  }
}

}  // namespace srcextract
