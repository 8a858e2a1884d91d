#pragma once

#include "cuda/sky/clip_ranks.hpp"

namespace srcextract {

/// The sums and medians for clip() in stages/sky/clip.hpp, computed by the leader: the first warp of the first block.
/// The leader works on the merged results of all blocks, copied to shared memory. If those results do not suffice, the
/// leader makes all blocks read pixels again (order()).
class ClipLeader : ClipRanks {
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
    Extremes found{};
    if (s.tail_kept) {
      found = extremes_of_keys(state().tail_low_key, state().tail_high_key);
      if (!is_everything(interval)) {
        found = {smallest_above(interval.lower), largest_below(interval.upper)};
        if (!(found.smallest < found.largest)) found = order_extremes(ClipSource::tail, interval);
      }
    }
    // Exact if the tail (pixels outside the core) has pixels of the set on both sides of the core. Else a pixel of the
    // core, which is in no list, may be an extreme.
    const bool exact = s.tail_kept && found.smallest <= s.guess.core.lower && found.largest >= s.guess.core.upper;
    if (!exact) found = order_extremes(ClipSource::image, interval);
    __syncwarp();  // as every function here that is not in line (ClipRanks)
    return found;
  }

  __device__ static void end() {
    __syncwarp();
    if (lane() == 0) state().command = ClipCommand::end;
    sync_blocks();
  }

 private:
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

  /// The core is a range of values whose pixels are only summed, never listed. Chooses a new core, the middle half of
  /// `interval`, and reads the image again. The core serves until a clipped set no longer contains it.
  __device__ static void move_core(const Interval& interval) {
    const float quarter = (interval.upper - interval.lower) / 4;
    if (lane() == 0) state().guess.core = {interval.lower + quarter, interval.upper - quarter};
    look_again();
  }

  // --- Sums.

  /// Sums an interval that sum_cells() cannot sum: an end lies outside all zones, or in a cell with too many pixels to
  /// be listed. The interval may also not contain the core, or a block's list of the tail may have been too short.
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
    const bool of_all = s.unmasked == 0;  // true in the first call, whose interval contains all pixels
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

  /// Returns the number of the part of the tail that contains x. Each lane compares x with one edge.
  __device__ static int part_at(float x) {
    return __popc(__ballot_sync(all_lanes, x > shared().cuts.edge[lane()]));
  }

  /// Returns the number of the cell that contains x; -1 if x is in no zone, an interval that is divided into cells.
  __device__ static int cell_at(float x) {
    const int part = part_at(x);
    return part % 2 == 0 ? -1 : shared().cuts.cell_of(x, part);
  }

  __device__ static std::int64_t pixels_in(int cell) {
    const NearSums* const before = shared().before_cell;
    return before[cell + 1].count - before[cell].count;
  }

  __device__ static const float* listed_in(int cell) {
    return work().cell_pixels + static_cast<std::size_t>(cell) * work().cell_room;
  }

  /// Describes the cell that contains one end of an interval. If all pixels of the cell are listed, `listed` is their
  /// number. If the cell has more pixels, but all are equal, `inside` tells whether they are in the interval. Else
  /// `known` is false.
  struct CellPart {
    int listed = 0;
    bool inside = false;  ///< all pixels are equal, not listed, and in the interval
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

  /// Sums the pixels in an interval: from running sums for the cells wholly inside, which include the core, and pixel
  /// by pixel for the two cells with the interval's ends. Returns false if an end is in no zone, or if its cell has
  /// unequal pixels that are not all listed. Also returns false if the interval does not contain the core, or if a
  /// block's list of the tail was too short.
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
    unsigned int counts = 0;  // low 16 bits: number of pixels inside; high 16 bits: number of pixels below
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
    // Cells begin to end - 1 lie wholly in the interval.
    const int begin = below_core.inside ? lower : lower + 1;
    const int end = above_core.inside ? upper + 1 : upper;
    const NearSums& to = s.before_cell[end];
    const NearSums& from = s.before_cell[begin];
    const bool odd = lane() % 2 != 0;
    const ExactSum& sum_to = odd ? to.second : to.first;
    const ExactSum& sum_from = odd ? from.second : from.first;
    sum.low += sum_to.low - sum_from.low;
    sum.high += sum_to.high - sum_from.high;
    __syncwarp();  // all lanes have read s.sums of the previous call
    if (lane() < 2) (lane() == 0 ? s.sums.first : s.sums.second)[0] = sum;
    if (lane() == 0) {
      s.sums.count = (counts & 0xffffu) + to.count - from.count;
      s.sums.below = s.before_cell[below_core.listed == 0 ? begin : lower].count + (counts >> 16);
      s.sums.classes = 1;
    }
    __syncwarp();
    return true;
  }

  /// Returns the smallest pixel of the tail above `end`; NaN if the rest of the zone with `end` has no such pixel, or a
  /// cell whose pixels are not all listed.
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

  // The cells of the part of the tail that contains x are zone_begin(x) to zone_end(x) - 1, even if the part is no
  // zone.
  __device__ static int zone_begin(float x) {
    return shared().cuts.first_cell[part_at(x)];
  }
  __device__ static int zone_end(float x) {
    return shared().cuts.first_cell[part_at(x) + 1];
  }
};

}  // namespace srcextract
