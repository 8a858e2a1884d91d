#pragma once

#include "cuda/sky/clip_blocks.hpp"
#include "cuda/sky/clip_forecast.hpp"
#include "cuda/sky/clip_ranks.hpp"

namespace srcextract {

/// The image as clip() sees it (stages/sky/clip.hpp): one block, which goes through the rounds with what all blocks
/// have brought together, and asks them for more where that is not enough. Every thread of the block calls the methods,
/// with the same arguments. What they know is in shared memory.
class ClipLeader {
 public:
  /// All blocks have looked.
  __device__ ClipLeader() {
    if (threadIdx.x == 0) shared().unmasked = 0;
    take_look();
  }

  __device__ static const SumGrid& grid() { return shared().grid; }
  __device__ static double zero_share() { return state().zero_share; }

  __device__ static void set_grid(const SumGrid& grid) {
    __syncthreads();
    if (threadIdx.x == 0) state().grid = grid;
    look_again();
  }

  __device__ __noinline__ static const PixelSums& sum(const Interval& interval) {
    ClipShared& s = shared();
    if (!interval.contains(s.guess.core)) move_core(interval);
    if (!s.tail_kept) {
      order_sum(ClipCommand::sum_image, interval);
    } else if (is_everything(interval)) {
      read_sums(state().tail);
      add_core();
    } else if (!sum_parts(interval)) {
      if (s.near.contains(interval)) split_from(interval);
      if (!sum_parts(interval)) {
        order_sum(ClipCommand::sum_tail, interval);
        add_core();
      }
    }
    if (s.unmasked == 0) {  // the first interval is of all
      __syncthreads();
      if (threadIdx.x == 0) s.unmasked = s.sums.count;
      __syncthreads();
    }
    return s.sums;
  }

  __device__ static double median(std::int64_t below, std::int64_t count) {
    const double upper = value(below + count / 2);
    if (count % 2 == 1) return upper;
    return (value(below + count / 2 - 1) + upper) / 2;
  }

  __device__ __noinline__ static Extremes extremes(const Interval& interval) {
    const ClipShared& s = shared();
    if (s.tail_kept) {
      Extremes found = extremes_of_keys(state().tail_low_key, state().tail_high_key);
      if (!is_everything(interval)) found = order_extremes(ClipCommand::tail_extremes, interval);
      // The tail is all around the core, or else the core's own pixels are wanted.
      if (found.smallest <= s.guess.core.lower && found.largest >= s.guess.core.upper) return found;
    }
    return order_extremes(ClipCommand::image_extremes, interval);
  }

  __device__ static void end() {
    __syncthreads();
    if (threadIdx.x == 0) state().command = ClipCommand::end;
    sync_blocks();
  }

 private:
  /// All blocks do this now. What it adds to must have been cleared.
  __device__ __noinline__ static void order(ClipCommand command) {
    __syncthreads();
    if (threadIdx.x == 0) state().command = command;
    sync_blocks();
    obey();
    __syncthreads();
  }

  __device__ __noinline__ static void look_again() {
    clear_look(state());
    order(ClipCommand::look);
    take_look();
  }

  /// What a look has left, and a forecast made of it.
  __device__ __noinline__ static void take_look() {
    ClipShared& s = shared();
    scan_block<window_bins>([](int bin) { return state().bins[tail_bins + bin]; }, s.window_begin);
    for (int i = static_cast<int>(threadIdx.x); i < window_bins / 32; i += clip_threads) s.wanted.bits[i] = 0;
    if (threadIdx.x == 0) {
      s.wanted.count = 0;
      s.core = state().core;
      s.below_window = state().core.count + state().in_tail - state().above_window;
      s.tail_kept = state().tail_overflow == 0;
      s.window_kept = state().window_overflow == 0;
      s.split = false;
      s.cached_count = 0;
    }
    __syncthreads();
    constexpr float infinity = std::numeric_limits<float>::infinity();
    if (s.tail_kept) split_from({-infinity, infinity});
  }

  __device__ static bool is_everything(const Interval& interval) {
    return isinf(interval.lower) && isinf(interval.upper);
  }

  /// The core must lie in the interval, and the next intervals lie in that one: its middle half is a core until they
  /// have shrunk by as much.
  __device__ static void move_core(const Interval& interval) {
    const float quarter = (interval.upper - interval.lower) / 4;
    __syncthreads();
    if (threadIdx.x == 0) state().guess.core = {interval.lower + quarter, interval.upper - quarter};
    look_again();
  }

  // --- Sums.

  __device__ static void read_sums(const PixelSums& sums) {
    ClipShared& s = shared();
    __syncthreads();
    if (threadIdx.x == 0) {
      s.sums.count = sums.count;
      s.sums.below = sums.below;
      s.sums.classes = sums.classes;
    }
    for (int k = static_cast<int>(threadIdx.x); k < sum_classes; k += clip_threads) {
      s.sums.first[k] = sums.first[k];
      s.sums.second[k] = sums.second[k];
    }
    __syncthreads();
  }

  __device__ static void add_core() {
    ClipShared& s = shared();
    if (threadIdx.x == 0) {
      s.sums.count += s.core.count;
      s.sums.first[0].add(s.core.first);
      s.sums.second[0].add(s.core.second);
    }
    __syncthreads();
  }

  __device__ static void order_sum(ClipCommand command, const Interval& interval) {
    __syncthreads();
    clear(state().sums);
    if (threadIdx.x == 0) state().interval = interval;
    order(command);
    read_sums(state().sums);
  }

  /// Cuts the tail where the sets that come after this one are expected to end.
  __device__ __noinline__ static void split_from(const Interval& known) {
    ClipShared& s = shared();
    ClipState& all = state();
    ClipForecast::run(known);
    for (int part = static_cast<int>(threadIdx.x); part < most_parts; part += clip_threads) all.part[part] = {};
    if (threadIdx.x < most_zones) all.in_zone[threadIdx.x] = 0;
    if (threadIdx.x < WantedBins::most) all.in_list[threadIdx.x] = 0;
    order(ClipCommand::split);
    // Running sums of the parts, a quantity a thread.
    constexpr int quantities = sizeof(NearSums) / sizeof(std::int64_t);
    if (threadIdx.x < quantities) {
      const auto quantity = [](auto& sums) -> auto& {
        return reinterpret_cast<std::int64_t*>(&sums)[threadIdx.x];
      };
      std::int64_t sum = 0;
#pragma unroll 8
      for (int part = 0; part < most_parts; ++part) {
        quantity(s.before_part[part]) = sum;
        sum += quantity(all.part[part]);
      }
    }
    if (threadIdx.x < most_zones) s.in_zone[threadIdx.x] = all.in_zone[threadIdx.x];
    if (threadIdx.x == 0) s.split = true;
    __syncthreads();
  }

  /// The zone, one of [first, last), that an end of the interval lies in; -1 if there is none, or not all of its pixels
  /// were listed. A lane a zone.
  __device__ static int zone_of(float end, int first, int last) {
    const ClipShared& s = shared();
    const int zone = min(static_cast<int>(threadIdx.x) % warp_size, most_zones - 1);
    const bool mine = zone >= first && zone < last && end >= s.cuts.zone_begin(zone) && end <= s.cuts.zone_end(zone) &&
                      s.in_zone[zone] <= work().zone_room;
    return __ffs(static_cast<int>(__ballot_sync(all_lanes, mine))) - 1;
  }

  /// The core, the parts between the two zones that the interval ends in, and of these zones what is inside. False if
  /// there are no such zones.
  __device__ __noinline__ static bool sum_parts(const Interval& interval) {
    ClipShared& s = shared();
    if (!s.split) return false;
    const int lower = zone_of(interval.lower, 0, s.cuts.lower_zones);
    const int upper = zone_of(next_below(interval.upper), s.cuts.lower_zones, s.cuts.zones);
    if (lower < 0 || upper < 0) return false;
    const std::size_t room = work().zone_room;
    const float* const below_core = work().zones + lower * room;
    const float* const above_core = work().zones + upper * room;
    const unsigned int in_lower = s.in_zone[lower];
    const unsigned int in_both = in_lower + s.in_zone[upper];
    ExactSum first, second;
    std::int64_t inside = 0;
    std::int64_t below = 0;
    const SumGrid grid = s.grid;
    const RoundingConstants round(grid.scale);
#pragma unroll 4
    for (unsigned int i = threadIdx.x; i < in_both; i += clip_threads) {
      const float x = i < in_lower ? below_core[i] : above_core[i - in_lower];
      below += x <= interval.lower;
      if (!interval.contains(x)) continue;
      ++inside;
      add_terms(first, second, grid.deviation(x), round);
    }
    const NearSums& from = s.before_part[2 * lower + 2];
    const NearSums& to = s.before_part[2 * upper + 1];
    const std::int64_t mine[6] = {inside, first.low, first.high, second.low, second.high, below};
    const std::int64_t zones = sum_over_block(mine, threadIdx.x / warp_size * warp_size < in_both);
    constexpr int quantities = sizeof(NearSums) / sizeof(std::int64_t);
    if (threadIdx.x < quantities) {
      const auto quantity = [](const NearSums& sums) {
        return reinterpret_cast<const std::int64_t*>(&sums)[threadIdx.x];
      };
      std::int64_t* const sums[quantities] = {&s.sums.count, &s.sums.first[0].low, &s.sums.first[0].high,
                                              &s.sums.second[0].low, &s.sums.second[0].high};
      *sums[threadIdx.x] = quantity(s.core) + quantity(to) - quantity(from) + zones;
    }
    if (threadIdx.x == quantities) {
      s.sums.below = s.before_part[2 * lower + 1].count + zones;
      s.sums.classes = 1;
    }
    __syncthreads();
    return true;
  }

  __device__ static Extremes order_extremes(ClipCommand command, const Interval& interval) {
    __syncthreads();  // some may still be reading the last ones
    if (threadIdx.x == 0) {
      state().interval = interval;
      clear_extremes(state().low_key, state().high_key);
    }
    order(command);
    return extremes_of_keys(state().low_key, state().high_key);
  }

  // --- Ranks.

  /// The pixel of that rank among all, 0 the smallest; +0 for either zero.
  __device__ __noinline__ static float value(std::int64_t rank) {
    constexpr int most_looks = 3;
    const ClipShared& s = shared();
    for (int looks = 0;; ++looks) {
      if (ClipRanks::knows(rank)) return ClipRanks::value(rank);
      const std::int64_t in_window = rank - s.below_window;
      if (s.window_kept && in_window >= 0 && in_window < s.window_begin[window_bins]) {
        if (!find_in_window(static_cast<unsigned int>(in_window))) find_by_digits(rank);
      } else if (!s.window_kept || looks == most_looks) {
        find_by_digits(rank);
      } else {
        move_window(static_cast<double>(rank) / static_cast<double>(s.unmasked), 1 << looks);
      }
    }
  }

  __device__ __noinline__ static void move_window(double fraction, int margins) {
    const int samples = state().samples;
    const double reach = rank_margin(max(samples, 1)) * margins;
    const Interval window = window_between(work().sorted, samples, fraction - reach, fraction + reach);
    const bool heavy = is_heavy(work().sorted, samples, window);
    if (threadIdx.x == 0) {
      state().guess.window = window;
      state().heavy = heavy;
    }
    look_again();
  }

  /// False if the bin has more pixels than can be collected.
  __device__ __noinline__ static bool find_in_window(unsigned int rank) {
    const ClipShared& s = shared();
    const int bin = window_bin_of_rank(rank);
    const unsigned int begin = s.window_begin[bin];
    const unsigned int count = s.window_begin[bin + 1] - begin;
    if (count > s.list_room || !s.wanted.has(bin)) {
      if (count > work().collected_room) return false;
      collect_alone(bin);
    }
    const double width = (static_cast<double>(s.guess.window.upper) - s.guess.window.lower) / window_bins;
    const double low = s.guess.window.lower + bin * width;
    ClipRanks::find(work().collected + static_cast<std::size_t>(s.wanted.list_of(bin)) * s.list_room, count,
                    rank - begin, s.below_window + begin, low, low + width);
    return true;
  }

  /// The pixels of one bin of the window, with room for many.
  __device__ static void collect_alone(int bin) {
    ClipState& all = state();
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < window_bins / 32; i += clip_threads) {
      all.wanted.bits[i] = i == bin / 32 ? 1u << bin % 32 : 0;
      all.wanted.before[i] = i > bin / 32 ? 1 : 0;
    }
    if (threadIdx.x == 0) {
      all.wanted.count = 1;
      all.list_room = work().collected_room;
      all.in_list[0] = 0;
    }
    order(ClipCommand::collect);
  }

  /// By four passes over the image, one for every byte of the keys: for images in which a few values are so frequent
  /// that no window can hold them.
  __device__ __noinline__ static void find_by_digits(std::int64_t rank) {
    ClipShared& s = shared();
    ClipState& all = state();
    std::uint32_t key = 0;
    std::int64_t first = 0;
    std::int64_t count = 0;
#pragma unroll 1
    for (int shift = 24; shift >= 0; shift -= 8) {
      if (threadIdx.x < 256) all.digits[threadIdx.x] = 0;
      if (threadIdx.x == 0) {
        all.prefix = key;
        all.prefix_mask = shift == 24 ? 0 : 0xffffffffu << (shift + 8);
        all.shift = shift;
      }
      order(ClipCommand::count_digits);
      if (threadIdx.x < 256) s.digit_totals[threadIdx.x] = all.digits[threadIdx.x];
      __syncthreads();
      std::uint32_t digit = 0;
#pragma unroll 1
      for (; digit < 255 && rank >= first + static_cast<std::int64_t>(s.digit_totals[digit]); ++digit) {
        first += static_cast<std::int64_t>(s.digit_totals[digit]);
      }
      count = static_cast<std::int64_t>(s.digit_totals[digit]);
      key |= digit << shift;
      __syncthreads();
    }
    ClipRanks::know_equal(value_of_signed_key(static_cast<std::int32_t>(key ^ 0x80000000u)), first, count);
  }
};

}  // namespace srcextract
