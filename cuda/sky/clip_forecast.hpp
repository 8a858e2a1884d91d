#pragma once

#include "cuda/sky/clip_look.hpp"

namespace srcextract {

/// Simulates the iterations of the clip with counts of pixels in bins in place of the pixels. The forecast predicts the
/// ends of the clipped sets, near which the tail (pixels outside the core) is then divided finely. The forecast also
/// predicts which pixels of the window will be medians. A wrong forecast costs time but does not change the result. The
/// first block calls run() after all pixels were read; its first warp simulates the iterations.
class ClipForecast {
 public:
  /// Forecasts the clipped sets that follow `known`, the clipped set that is summed next. Writes state().cuts,
  /// where to divide the tail, and state().wanted, the bins of the window whose pixels to collect.
  __device__ static void run(const Interval& known) {
    sync_block();
    scan_block<tail_bins>(
        [bins = state().bins](int bin) -> TailSums {
          const double count = bins[bin];
          const double centre = bin_centre(bin);
          return {count, count * centre, count * centre * centre};
        },
        shared().running);
    clear_wanted(clip_threads);
    if (threadIdx.x < 2) shared().side[threadIdx.x].count = 0;
    sync_block();
    if (threadIdx.x < warp_size) {
      add_zones({next_below(known.lower), known.lower}, {next_below(known.upper), known.upper});
      go_through_rounds(known);
      __syncwarp();
      write_zones();
      write_wanted();
    }
  }

  /// Clears the block's set of wanted bins. The first `threads` threads of the block must call this function together.
  __device__ static void clear_wanted(int threads) {
    WantedBins& wanted = shared().wanted;
    for (int i = static_cast<int>(threadIdx.x); i < window_bins / 32; i += threads) wanted.bits[i] = 0;
    if (threadIdx.x == 0) wanted.count = 0;
  }

  /// Adds a bin of the window and its two neighbours to the wanted bins; because of rounding, the median may lie in a
  /// neighbour. Adds nothing if there would be more than WantedBins::most bins. One warp calls this function.
  __device__ static void want(int bin) {
    WantedBins& wanted = shared().wanted;
    const int mine = bin - 1 + lane();
    const bool take = lane() < 3 && mine >= 0 && mine < window_bins && !wanted.has(mine);
    const int taken = __popc(__ballot_sync(all_lanes, take));
    if (taken == 0 || wanted.count + taken > WantedBins::most) return;
    __syncwarp();
    if (take) atomicOr(&wanted.bits[mine / 32], 1u << mine % 32);
    if (lane() == 0) wanted.count += taken;
    __syncwarp();
  }

  /// Copies the wanted bins to the state, and clears the cells of these bins. One warp calls this function.
  __device__ static void write_wanted() {
    WantedBins& wanted = shared().wanted;
    WantedBins& out = state().wanted;
    int before = 0;
    for (int i = lane(); i < window_bins / 32; i += warp_size) {
      const std::uint32_t bits = wanted.bits[i];
      const int running = running_sum_of_warp(__popc(bits));
      out.bits[i] = bits;
      out.before[i] = static_cast<std::uint16_t>(before + running - __popc(bits));
      before += __shfl_sync(all_lanes, running, warp_size - 1);
    }
    if (lane() == 0) out.count = wanted.count;
    for (int i = lane(); i < wanted.count * work().bin_cells; i += warp_size) {
      WindowCell& cell = work().window_cell[i];
      cell.count = 0;
      clear_extremes(cell.low_key, cell.high_key);
    }
  }

 private:
  /// Number of pixels; sum of their deviations from the grid's centre in units of the grid's scale; sum of the squared
  /// deviations. Single precision suffices for a forecast.
  struct Sums {
    float count, first, second;
  };

  /// Adds one zone (interval of the tail to divide into narrow cells) around the lower end of a clipped set, and one
  /// around the upper end; lane 0 and lane 1 each handle one side. Merges overlapping zones of a side. Adds no zone if
  /// the end lies in the core, or so far out that its deviation is not of class 0 (SumGrid). Returns false if a side
  /// already has side_zones zones.
  __device__ static bool add_zones(const Interval& around_lower, const Interval& around_upper) {
    ClipShared& s = shared();
    const bool above = lane() == 1;
    const Interval around = above ? around_upper : around_lower;
    const bool outside = above ? around.lower >= s.guess.core.upper : around.upper <= s.guess.core.lower;
    bool room = true;
    const bool near = around.lower >= s.near.lower && around.upper < s.near.upper;
    if (lane() < 2 && outside && near) {
      ZoneSide& side = s.side[lane()];
      const int last = side.count - 1;
      const bool meets = last >= 0 && (above ? around.upper >= side.begin[last] : around.lower <= side.end[last]);
      const int at = meets ? last : last + 1;
      room = at < side_zones;
      if (room) {
        side.begin[at] = meets ? fminf(side.begin[last], around.lower) : around.lower;
        side.end[at] = meets ? fmaxf(side.end[last], around.upper) : around.upper;
        side.count = at + 1;
      }
    }
    return __all_sync(all_lanes, room) != 0;
  }

  /// Writes the zones to state().cuts, one zone per lane. The number of cells in a zone is 1 plus a number proportional
  /// to the number of pixels expected in the zone.
  __device__ static void write_zones() {
    const auto& side = shared().side;
    TailCuts& out = state().cuts;
    const int zones = side[0].count + side[1].count;
    const bool any = lane() < zones;
    const bool above = lane() >= side[0].count;
    const int k = any ? (above ? zones - 1 - lane() : lane()) : 0;
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const float begin = any ? side[above].begin[k] : infinity;
    const float end = any ? side[above].end[k] : infinity;
    float pixels = static_cast<float>(up_to(scales_of(end)).count - up_to(scales_of(begin)).count);
    pixels = any ? fmaxf(pixels, 0.0F) : 0;
    constexpr float cell_pixels = 16;
    const float in_cell = fmaxf(cell_pixels, sum_of_warp(pixels) / static_cast<float>(work().cells - least_cells / 2));
    const int cells = any ? 1 + static_cast<int>(pixels / in_cell) : 0;
    // Number of cells before the even part that precedes this zone. Each of the lane() earlier even parts is one cell.
    const int before = running_sum_of_warp(cells) - cells + lane();
    if (lane() < most_zones) {
      out.edge[2 * lane()] = begin;
      out.edge[2 * lane() + 1] = end;
      out.per_unit[lane()] = static_cast<float>(cells) / (end - begin);
    }
    if (lane() <= most_zones) {
      out.first_cell[2 * lane()] = before;
      out.first_cell[2 * lane() + 1] = before + 1;
    }
    if (lane() == 0) out.zones = zones;
  }

  __device__ static float scales_of(float x) {
    return (x - static_cast<float>(shared().grid.centre)) * shared().per_scale;
  }

  /// Returns the |deviation|, in units of the grid's scale, at which bin k of a side begins. Each octave begins at a
  /// power of two and has bins_per_octave bins of equal width.
  __device__ static float bin_begin(int k) {
    static_assert(bins_per_octave == 1 << 6);
    return __int_as_float((127 * bins_per_octave + k) << (23 - 6));
  }

  __device__ static int side_bin(int bin) { return bin < side_bins ? side_bins - 1 - bin : bin - side_bins; }

  __device__ static double bin_centre(int bin) {
    const double centre = (bin_begin(side_bin(bin)) + bin_begin(side_bin(bin) + 1)) / 2;
    return bin < side_bins ? -centre : centre;
  }

  /// Returns the sums over pixels of the tail below a deviation, which is in units of the grid's scale. Within a bin,
  /// pixels are assumed to be spread evenly.
  __device__ static TailSums up_to(float deviation) {
    const int bin = tail_bin(deviation, 0, 1);
    const float begin = bin_begin(side_bin(bin));
    const float width = bin_begin(side_bin(bin) + 1) - begin;
    const float inner = fminf(fmaxf(__fdividef(fabsf(deviation) - begin, width), 0.0F), 1.0F);
    const double share = bin < side_bins ? 1 - inner : inner;
    const TailSums& from = shared().running[bin];
    const TailSums& to = shared().running[bin + 1];
    return {from.count + share * (to.count - from.count), from.first + share * (to.first - from.first),
            from.second + share * (to.second - from.second)};
  }

  /// Returns the sums over pixels of the tail between two deviations. `below` becomes the number of pixels under
  /// `lower`. Even lanes look up the lower deviation, odd lanes the upper deviation.
  __device__ static Sums between(float lower, float upper, float& below) {
    const bool is_upper = lane() % 2 != 0;
    const TailSums mine = up_to(is_upper ? upper : lower);
    const auto difference = [&](double sum) {
      const double other = __shfl_xor_sync(all_lanes, sum, 1);
      return static_cast<float>(is_upper ? sum - other : other - sum);
    };
    below = static_cast<float>(__shfl_sync(all_lanes, mine.count, 0));
    return {difference(mine.count), difference(mine.first), difference(mine.second)};
  }

  /// Returns the expected value of the pixel with rank `rank` in the window; `bin` becomes its bin. All lanes of a warp
  /// must call this function together.
  __device__ static float find_rank(float rank, int& bin) {
    const ClipShared& s = shared();
    bin = window_bin_of_rank(rank);
    const Interval& window = s.guess.window;
    const float width = (window.upper - window.lower) * (1.0F / window_bins);
    const auto begin = static_cast<float>(s.window_begin[bin]);
    const float inner = __fdividef(rank - begin, static_cast<float>(s.window_begin[bin + 1]) - begin);
    return window.lower + width * (static_cast<float>(bin) + inner);
  }

  __device__ static void go_through_rounds(const Interval& known) {
    constexpr int most_rounds = 64;
    const ClipShared& s = shared();
    if (!s.window_kept) return;
    const std::int64_t limit = work().max_iterations;
    const auto kappa = static_cast<float>(work().kappa);
    const auto centre = static_cast<float>(s.grid.centre);
    const auto scale = static_cast<float>(s.grid.scale);
    const Sums core{static_cast<float>(s.core.count), static_cast<float>(s.core.first.value() * 0x1p-44),
                    static_cast<float>(s.core.second.value() * 0x1p-40)};
    float lower = scales_of(known.lower);
    float upper = scales_of(known.upper);
    const bool from_all = isinf(lower) && isinf(upper);
    for (int round = 0; round < most_rounds && (limit == 0 || round < limit); ++round) {
      float below;
      Sums tail = between(lower, upper, below);
      if (round == 0 && from_all) tail = whole_tail();
      const float count = core.count + tail.count;
      const float mean = __fdividef(core.first + tail.first, count);
      const float second = core.second + tail.second;
      const float sigma = sqrtf(fmaxf(__fdividef(second, count) - mean * mean, 0.0F));
      const float rank = below + count / 2 - static_cast<float>(s.below_window);
      if (!(rank >= 0 && rank < s.window_begin[window_bins])) return;
      int bin;
      const float median = scales_of(find_rank(rank, bin));
      want(bin);
      const float reach = kappa * sigma;
      // Pixels are not spread quite evenly within their bins. The margin allows for an error proportional to the tail's
      // fraction of the sum of squares.
      const float margin = reach * (5e-5F + 3e-3F * __fdividef(tail.second, second));
      const float next_lower = fmaxf(lower, median - reach);
      const float next_upper = fminf(upper, median + reach);
      if (!isfinite(margin + median) || !(next_lower < next_upper)) return;
      if (!add_zones({centre + scale * (next_lower - margin), centre + scale * (next_lower + margin)},
                     {centre + scale * (next_upper - margin), centre + scale * (next_upper + margin)})) {
        return;
      }
      // In this case, all later ends lie within the zones that exist already.
      if (next_lower - lower < margin / 2 && upper - next_upper < margin / 2) return;
      lower = next_lower;
      upper = next_upper;
    }
  }

  /// Returns the exact sums over the whole tail.
  __device__ static Sums whole_tail() {
    const PixelSums& tail = state().tail;
    if (tail.count == 0) return {0, 0, 0};
    const Moments moments = moments_of(tail, {0, 1});
    const auto count = static_cast<double>(tail.count);
    return {static_cast<float>(count), static_cast<float>(moments.mean * count),
            static_cast<float>((moments.variance + moments.mean * moments.mean) * count)};
  }
};

}  // namespace srcextract
