#pragma once

#include "cuda/sky/clip_blocks.hpp"

namespace srcextract {

/// The image as clip() sees it (stages/sky/clip.hpp): the first warp of the first block, which goes through the rounds
/// with what all blocks have brought together, and asks all of them for more where that is not enough. What it knows is
/// in shared memory.
class ClipLeader {
 public:
  __device__ ClipLeader() {
    if (lane() == 0) shared().unmasked = 0;
    __syncwarp();
  }

  __device__ static const SumGrid& grid() { return shared().grid; }
  __device__ static double zero_share() { return state().zero_share; }

  __device__ static void set_grid(const SumGrid& grid) {
    __syncwarp();
    if (lane() == 0) state().grid = grid;
    look_again();
  }

  __device__ static const PixelSums& sum(const Interval& interval) {
    if (!sum_cells(interval.lower, interval.upper)) sum_otherwise(interval);
    return shared().sums;
  }

  __device__ static double median(std::int64_t below, std::int64_t count) {
    const std::int64_t upper = below + count / 2;
    const std::int64_t lower = upper - (count % 2 == 0 ? 1 : 0);
    double sum = 0;
#pragma unroll 1
    for (std::int64_t rank = upper;; rank = lower) {
      sum += value(rank);
      if (rank == lower) break;
    }
    return lower == upper ? sum : sum / 2;
  }

  __device__ __noinline__ static Extremes extremes(Interval interval) {
    const ClipShared& s = shared();
    if (s.tail_kept) {
      Extremes found = extremes_of_keys(state().tail_low_key, state().tail_high_key);
      if (!is_everything(interval)) {
        found = {smallest_above(interval.lower), largest_below(interval.upper)};
        if (!(found.smallest < found.largest)) found = order_extremes(ClipSource::tail, interval);
      }
      // The tail is all around the core, or else the core's own pixels are wanted.
      if (found.smallest <= s.guess.core.lower && found.largest >= s.guess.core.upper) return found;
    }
    return order_extremes(ClipSource::image, interval);
  }

  __device__ static void end() {
    __syncwarp();
    if (lane() == 0) state().command = ClipCommand::end;
    sync_blocks();
  }

 private:
  /// All blocks do this now. What it adds to must have been cleared.
  __device__ __noinline__ static void order(ClipCommand command) {
    __syncwarp();
    if (lane() == 0) state().command = command;
    sync_blocks();
    obey();
    __syncwarp();
  }

  __device__ static void look_again() {
    clear_look(state(), warp_size);
    order(ClipCommand::look);
  }

  __device__ static void order_sum(ClipSource source, const Interval& interval) {
    __syncwarp();
    clear(state().sums, warp_size);
    order_of(ClipCommand::sum, source, interval);
    take(state().sums);
  }

  __device__ static Extremes order_extremes(ClipSource source, const Interval& interval) {
    __syncwarp();
    if (lane() == 0) clear_extremes(state().low_key, state().high_key);
    order_of(ClipCommand::extremes, source, interval);
    return extremes_of_keys(state().low_key, state().high_key);
  }

  __device__ static void order_of(ClipCommand command, ClipSource source, const Interval& interval) {
    if (lane() == 0) {
      state().interval = interval;
      state().source = source;
    }
    order(command);
  }

  __device__ static bool is_everything(const Interval& interval) {
    return isinf(interval.lower) && isinf(interval.upper);
  }

  /// The core must lie in the interval, and the next intervals lie in that one: its middle half is a core until they
  /// have shrunk by as much.
  __device__ static void move_core(const Interval& interval) {
    const float quarter = (interval.upper - interval.lower) / 4;
    if (lane() == 0) state().guess.core = {interval.lower + quarter, interval.upper - quarter};
    look_again();
  }

  // --- Sums.

  /// Where the cells are of no use.
  __device__ __noinline__ static void sum_otherwise(Interval interval) {
    ClipShared& s = shared();
    if (!interval.contains(s.guess.core)) move_core(interval);
    if (!s.tail_kept) {
      order_sum(ClipSource::image, interval);
    } else if (is_everything(interval)) {
      take(state().tail);
      add_core();
    } else {
      if (s.near.contains(interval)) {
        if (lane() == 0) state().interval = interval;
        order(ClipCommand::split);
      }
      if (!sum_cells(interval.lower, interval.upper)) {
        order_sum(ClipSource::tail, interval);
        add_core();
      }
    }
    const bool of_all = s.unmasked == 0;  // the first interval
    __syncwarp();
    if (of_all && lane() == 0) s.unmasked = s.sums.count;
    __syncwarp();
  }

  __device__ static void take(const PixelSums& sums) {
    ClipShared& s = shared();
    __syncwarp();
    if (lane() == 0) {
      s.sums.count = sums.count;
      s.sums.below = sums.below;
      s.sums.classes = sums.classes;
    }
    for (int k = lane(); k < sums.classes; k += warp_size) {
      s.sums.first[k] = sums.first[k];
      s.sums.second[k] = sums.second[k];
    }
    __syncwarp();
  }

  __device__ static void add_core() {
    ClipShared& s = shared();
    if (lane() == 0) {
      s.sums.count += s.core.count;
      s.sums.first[0].add(s.core.first);
      s.sums.second[0].add(s.core.second);
    }
    __syncwarp();
  }

  /// The cell that x is in; -1 if that is no zone. A lane an edge.
  __device__ static int cell_at(float x) {
    const TailCuts& cuts = shared().cuts;
    const int part = __popc(__ballot_sync(all_lanes, x > cuts.edge[lane()]));
    return part % 2 == 0 ? -1 : cuts.cell_of(x, part);
  }

  __device__ static std::int64_t pixels_in(int cell) {
    const NearSums* const before = shared().before_cell;
    return before[cell + 1].count - before[cell].count;
  }

  __device__ static const float* listed_in(int cell) {
    return work().cell_pixels + static_cast<std::size_t>(cell) * work().cell_room;
  }

  /// A cell that an interval ends in: its pixels are listed, or are all equal, or it is of no use.
  struct CellPart {
    int listed = 0;
    bool inside = false;  ///< pixels that are equal and not listed
    bool known = true;
    __device__ CellPart(int cell, const Interval& interval) {
      if (const std::int64_t count = pixels_in(cell); count <= work().cell_room) {
        listed = static_cast<int>(count);
      } else {
        inside = interval.contains(value_of_signed_key(state().cell_low[cell]));
        known = state().cell_low[cell] == state().cell_high[cell];
      }
    }
  };

  /// The cells between the two that the interval ends in, with the core among them, and of these what is inside. False
  /// if these are in no zone, or have too many pixels.
  __device__ __forceinline__ static bool sum_cells(float lower_end, float upper_end) {
    ClipShared& s = shared();
    const Interval interval{lower_end, upper_end};
    const int lower = cell_at(lower_end);
    const int upper = cell_at(upper_end);
    if (!s.tail_kept || !interval.contains(s.guess.core) || lower < 0 || upper < 0) return false;
    const CellPart below_core(lower, interval);
    const CellPart above_core(upper, interval);
    if (!below_core.known || !above_core.known) return false;
    const RoundingConstants round(s.grid.scale);
    const double centre = s.grid.centre;
    std::int64_t first = 0;
    std::int64_t second = 0;
    unsigned int counts = 0;  // those inside, and from bit 16 on those below
    const auto add = [&](float x) {
      const bool inside = interval.contains(x);
      const NearTerms terms(inside ? x - centre : 0, round);
      counts += (inside ? 1u : 0u) + (x <= lower_end ? 1u << 16 : 0u);
      first += terms.first;
      second += terms.second;
    };
    const int listed = below_core.listed + above_core.listed;
    const float* const of_lower = listed_in(lower);
    const float* const of_upper = listed_in(upper) - below_core.listed;
    const auto load = [&](int i) {
      if (i >= listed) return std::numeric_limits<float>::quiet_NaN();
      return (i < below_core.listed ? of_lower : of_upper)[i];
    };
#pragma unroll 1
    for (int begin = 0; begin < listed; begin += 2 * warp_size) {
      const float x = load(begin + lane());
      const float y = load(begin + warp_size + lane());
      add(x);
      add(y);
    }
    counts = __reduce_add_sync(all_lanes, counts);
    ExactSum sum;
    sum.add(sums_of_pairs(first, second));
    // Cells [begin, end) are inside as a whole.
    const int begin = below_core.inside ? lower : lower + 1;
    const int end = above_core.inside ? upper + 1 : upper;
    const NearSums& to = s.before_cell[end];
    const NearSums& from = s.before_cell[begin];
    const bool odd = lane() % 2 != 0;
    const ExactSum& sum_to = odd ? to.second : to.first;
    const ExactSum& sum_from = odd ? from.second : from.first;
    sum.low += sum_to.low - sum_from.low;
    sum.high += sum_to.high - sum_from.high;
    __syncwarp();  // all have read the last sums
    if (lane() < 2) (lane() == 0 ? s.sums.first : s.sums.second)[0] = sum;
    if (lane() == 0) {
      s.sums.count = (counts & 0xffffu) + to.count - from.count;
      s.sums.below = s.before_cell[below_core.listed == 0 ? begin : lower].count + (counts >> 16);
      s.sums.classes = 1;
    }
    __syncwarp();
    return true;
  }

  /// The next pixel of the tail above that end; NaN if it is in no cell of the same zone.
  __device__ static float smallest_above(float end) {
    const int first = cell_at(end);
    for (int cell = first; cell >= 0 && pixels_in(cell) <= work().cell_room && cell < zone_end(end); ++cell) {
      float mine = std::numeric_limits<float>::infinity();
      for (int i = lane(); i < pixels_in(cell); i += warp_size) {
        if (const float x = listed_in(cell)[i]; x > end) mine = fminf(mine, x);
      }
      const std::int32_t key = __reduce_min_sync(all_lanes, signed_key(mine + 0.0F));
      if (value_of_signed_key(key) < std::numeric_limits<float>::infinity()) return value_of_signed_key(key);
    }
    return std::numeric_limits<float>::quiet_NaN();
  }

  __device__ static float largest_below(float end) {
    for (int cell = cell_at(end); cell >= zone_begin(end) && pixels_in(cell) <= work().cell_room; --cell) {
      float mine = -std::numeric_limits<float>::infinity();
      for (int i = lane(); i < pixels_in(cell); i += warp_size) {
        if (const float x = listed_in(cell)[i]; x < end) mine = fmaxf(mine, x);
      }
      const std::int32_t key = __reduce_max_sync(all_lanes, signed_key(mine + 0.0F));
      if (value_of_signed_key(key) > -std::numeric_limits<float>::infinity()) return value_of_signed_key(key);
    }
    return std::numeric_limits<float>::quiet_NaN();
  }

  // The cells of the zone that x is in, from the first to before the last; 0 if it is in no zone.
  __device__ static int zone_begin(float x) {
    return shared().cuts.first_cell[__popc(__ballot_sync(all_lanes, x > shared().cuts.edge[lane()]))];
  }
  __device__ static int zone_end(float x) {
    return shared().cuts.first_cell[__popc(__ballot_sync(all_lanes, x > shared().cuts.edge[lane()])) + 1];
  }

  // --- Ranks.

  /// The pixel of that rank among all, 0 the smallest; +0 for either zero.
  __device__ static float value(std::int64_t rank) {
    const ClipShared& s = shared();
    if (rank < s.known_first || rank >= s.known_first + s.known_count) find(rank);
    return s.sorted[s.known_equal ? 0 : rank - s.known_first] + 0.0F;
  }

  /// Gets to know the pixel of that rank, and others beside it.
  __device__ __forceinline__ static void find(std::int64_t rank) {
    constexpr int most_looks = 3;
    const ClipShared& s = shared();
    for (int looks = 0;; move_window(static_cast<double>(rank) / static_cast<double>(s.unmasked), 1 << looks++)) {
      const std::int64_t in_window = rank - s.below_window;
      if (!s.window_kept || looks == most_looks) return find_by_digits(rank, 0, ClipSource::image);
      if (in_window >= 0 && in_window < s.window_begin[window_bins]) {
        return find_in_window(static_cast<unsigned int>(in_window));
      }
    }
  }

  __device__ static void set_known(bool equal, std::int64_t first, std::int64_t count) {
    ClipShared& s = shared();
    __syncwarp();
    if (lane() == 0) {
      s.known_equal = equal;
      s.known_first = first;
      s.known_count = count;
    }
    __syncwarp();
  }

  /// Gets to know `count` equal pixels, the first of them of rank `first`.
  __device__ static void know_equal(float value, std::int64_t first, std::int64_t count) {
    __syncwarp();
    if (lane() == 0) shared().sorted[0] = value;
    set_known(true, first, count);
  }

  /// Sorts them: the place of each is how many are smaller, or equal and before it.
  __device__ static void know_all(const float* values, int count, std::int64_t first) {
    ClipShared& s = shared();
    __syncwarp();
    auto* const unsorted = reinterpret_cast<float*>(s.unsorted);
    for (int i = lane(); i < (count + 3) / 4 * 4; i += warp_size) {
      unsorted[i] = i < count ? values[i] : std::numeric_limits<float>::quiet_NaN();  // before nothing
    }
    __syncwarp();
    for (int i = lane(); i < count; i += warp_size) {
      const float mine = unsorted[i];
      int place = 0;
#pragma unroll 2
      for (int k = 0; k < count; k += 4) {
        const float4 other = s.unsorted[k / 4];
        place += other.x < mine || (other.x == mine && k < i) ? 1 : 0;
        place += other.y < mine || (other.y == mine && k + 1 < i) ? 1 : 0;
        place += other.z < mine || (other.z == mine && k + 2 < i) ? 1 : 0;
        place += other.w < mine || (other.w == mine && k + 3 < i) ? 1 : 0;
      }
      s.sorted[place] = mine;
    }
    set_known(false, first, count);
  }

  __device__ __noinline__ static void move_window(double fraction, int margins) {
    const int samples = state().samples;
    const double reach = rank_margin(max(samples, 1)) * margins;
    const Interval window = window_between(work().sorted, samples, fraction - reach, fraction + reach);
    const bool heavy = __any_sync(all_lanes, is_heavy(work().sorted, samples, window, warp_size)) != 0;
    if (lane() == 0) {
      state().guess.window = window;
      state().heavy = heavy;
    }
    look_again();
  }

  /// Finds in which of some things, a power of two of them up to 256 that count_of() counts, the pixel of that rank is,
  /// and how many are in it. Takes off the rank those before it. A lane knows up to eight neighbours.
  template <class T, class F>
  __device__ static int search_counts(int things, const F& count_of, T& rank, T& here) {
    constexpr int most_each = 256 / warp_size;
    const int each = max(things / warp_size, 1);
    const int first = lane() * each;
    T count[most_each];
    T mine = 0;
#pragma unroll
    for (int i = 0; i < most_each; ++i) {
      count[i] = i < each && first + i < things ? count_of(first + i) : 0;
      mine += count[i];
    }
    const T running = running_sum_of_warp(mine);
    const int found = __ffs(static_cast<int>(__ballot_sync(all_lanes, rank < running))) - 1;
    T rest = rank - (running - mine);
    int thing = first;
    T last = count[0];
#pragma unroll
    for (int i = 1; i < most_each; ++i) {
      if (thing != first + i - 1 || rest < last) continue;
      rest -= last;
      last = count[i];
      ++thing;
    }
    rank = __shfl_sync(all_lanes, rest, found);
    here = __shfl_sync(all_lanes, last, found);
    return __shfl_sync(all_lanes, thing, found);
  }

  __device__ __noinline__ static void collect_bin(int bin) {
    __syncwarp();
    ClipForecast::clear_wanted(warp_size);
    __syncwarp();
    ClipForecast::want(bin);
    ClipForecast::write_wanted();
    order(ClipCommand::collect);
  }

  __device__ static void find_in_window(unsigned int rank) {
    const ClipShared& s = shared();
    const int bin = window_bin_of_rank(rank);
    if (!s.wanted.has(bin)) collect_bin(bin);
    const int bin_cells = work().bin_cells;
    const int first_cell = s.wanted.list_of(bin) * bin_cells;
    const WindowCell* const cells = work().window_cell + first_cell;
    unsigned int in_cell = rank - s.window_begin[bin];
    unsigned int count = 0;
    const int number = search_counts(
        bin_cells, [&](int cell) { return cells[cell].count; }, in_cell, count);
    const std::int64_t before = s.below_window + (rank - in_cell);
    const unsigned int room = work().window_cell_room;
    if (count <= room) {
      know_all(work().window_pixels + static_cast<std::size_t>(first_cell + number) * room, static_cast<int>(count),
               before);
    } else if (cells[number].low_key == cells[number].high_key) {
      know_equal(value_of_signed_key(cells[number].low_key), before, count);
    } else {
      find_by_digits(rank, s.below_window, ClipSource::window);
    }
  }

  /// By four passes over the window, or the image, one for every byte of the keys: where a few values are so frequent
  /// that no cell can hold them. `before` pixels are below the window.
  __device__ __noinline__ static void find_by_digits(std::int64_t rank, std::int64_t before, ClipSource source) {
    ClipState& all = state();
    std::uint32_t key = 0;
    auto rest = static_cast<Count>(rank);
    Count count = 0;
#pragma unroll 1
    for (int shift = 24; shift >= 0; shift -= 8) {
      for (int i = lane(); i < 256; i += warp_size) all.digits[i] = 0;
      if (lane() == 0) {
        all.prefix = key;
        all.prefix_mask = shift == 24 ? 0 : 0xffffffffu << (shift + 8);
        all.shift = shift;
        all.source = source;
      }
      order(ClipCommand::count_digits);
      const int digit = search_counts(
          256, [&](int i) { return all.digits[i]; }, rest, count);
      key |= static_cast<std::uint32_t>(digit) << shift;
      __syncwarp();
    }
    know_equal(value_of_signed_key(static_cast<std::int32_t>(key ^ 0x80000000u)),
               before + rank - static_cast<std::int64_t>(rest), static_cast<std::int64_t>(count));
  }
};

}  // namespace srcextract
