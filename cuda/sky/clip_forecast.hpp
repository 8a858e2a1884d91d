#pragma once

#include "cuda/sky/clip_look.hpp"

namespace srcextract {

/// Goes through the rounds of the clip with counts in bins instead of pixels, to cut the tail where the clipped sets
/// will end, and to know which pixels of the window will be medians. A forecast that fails costs time, and no more. By
/// one block, after a look at all pixels; the rounds by its first warp.
class ClipForecast {
 public:
  /// From a set that is known exactly on. Writes the cuts and the wanted bins of the window into the state.
  __device__ static void run(const Interval& known) {
    sum_bins();
    WantedBins& wanted = shared().wanted;
    for (int i = static_cast<int>(threadIdx.x); i < window_bins / 32; i += clip_threads) wanted.bits[i] = 0;
    if (threadIdx.x == 0) wanted.count = 0;
    __syncthreads();
    if (threadIdx.x >= warp_size) return;
    Zones zones;
    zones.add(known.lower, known.lower, next_below(known.upper), next_below(known.upper));
    go_through_rounds(known, zones);
    zones.write();
    write_wanted();
  }

 private:
  /// Of pixels, of their deviations from the centre of the grid in units of its scale, and of the squares of these.
  /// Float is precise enough for a forecast.
  struct Sums {
    float count, first, second;
  };

  /// Zones of one side, from the outermost inwards; those that meet are one.
  struct Side {
    int count = 0;
    float begin[side_zones], end[side_zones];  ///< in pixels' units

    /// False if there is no room. `inwards` is +1 below the core and -1 above it.
    __device__ bool add(float from, float to, int inwards) {
      const int last = count - 1;
      if (count > 0 && (inwards > 0 ? from <= end[last] : to >= begin[last])) {
        begin[last] = fminf(begin[last], from);
        end[last] = fmaxf(end[last], to);
        return true;
      }
      if (count == side_zones) return false;
      begin[count] = from;
      end[count++] = to;
      return true;
    }
  };

  struct Zones {
    Side lower, upper;

    /// Zones around two ends; an end that is not near, or in the core, gets none. False if there is no room.
    __device__ bool add(float lower_begin, float lower_end, float upper_begin, float upper_end) {
      const ClipShared& s = shared();
      bool room = true;
      if (lower_begin > s.near.lower && lower_end <= s.guess.core.lower) room &= lower.add(lower_begin, lower_end, 1);
      if (upper_end < s.near.upper && upper_begin >= s.guess.core.upper) room &= upper.add(upper_begin, upper_end, -1);
      return room;
    }

    __device__ void write() const {
      TailCuts& cuts = state().cuts;
      const int zones = lower.count + upper.count;
      if (threadIdx.x == 0) {
        cuts.lower_zones = lower.count;
        cuts.zones = zones;
        for (int k = 0; k < lower.count; ++k) {
          cuts.edge[2 * k] = lower.begin[k];
          cuts.edge[2 * k + 1] = lower.end[k];
        }
        for (int k = 0; k < upper.count; ++k) {
          cuts.edge[2 * (zones - 1 - k)] = upper.begin[k];
          cuts.edge[2 * (zones - 1 - k) + 1] = upper.end[k];
        }
      }
      for (int i = 2 * zones + static_cast<int>(threadIdx.x); i < TailCuts::room; i += warp_size) {
        cuts.edge[i] = std::numeric_limits<float>::infinity();
      }
    }
  };

  /// |deviation| in scales where bin k of a side begins: a power of two, and linear between two of them.
  __device__ static float bin_begin(int k) {
    static_assert(bins_per_octave == 1 << 6);
    return __int_as_float((127 * bins_per_octave + k) << (23 - 6));
  }

  __device__ static int side_bin(int bin) { return bin < side_bins ? side_bins - 1 - bin : bin - side_bins; }

  __device__ static double bin_centre(int bin) {
    const double centre = (bin_begin(side_bin(bin)) + bin_begin(side_bin(bin) + 1)) / 2;
    return bin < side_bins ? -centre : centre;
  }

  __device__ static void sum_bins() {
    BinSums& running = shared().running;
    const unsigned int* const bins = state().bins;
    __syncthreads();
    scan_block<tail_bins>([&](int bin) { return bins[bin]; }, running.count);
    scan_block<tail_bins>([&](int bin) { return bins[bin] * bin_centre(bin); }, running.first);
    scan_block<tail_bins>([&](int bin) { return bins[bin] * bin_centre(bin) * bin_centre(bin); }, running.second);
  }

  /// Over the tail's pixels between two deviations; `below` are those under the lower one. Two lanes look up one each.
  __device__ static Sums between(float lower, float upper, float& below) {
    const BinSums& running = shared().running;
    const float deviation = threadIdx.x % 2 == 0 ? lower : upper;
    const int bin = tail_bin(deviation, 0, 1);
    const float begin = bin_begin(side_bin(bin));
    const float width = bin_begin(side_bin(bin) + 1) - begin;
    const float inner = fminf(fmaxf(__fdividef(fabsf(deviation) - begin, width), 0.0F), 1.0F);
    const double share = bin < side_bins ? 1 - inner : inner;
    const auto up_to = [&](const auto* sums) { return sums[bin] + share * (sums[bin + 1] - sums[bin]); };
    const auto difference = [&](double sum) {
      return static_cast<float>(__shfl_sync(all_lanes, sum, 1) - __shfl_sync(all_lanes, sum, 0));
    };
    const double count = up_to(running.count);
    below = static_cast<float>(__shfl_sync(all_lanes, count, 0));
    return {difference(count), difference(up_to(running.first)), difference(up_to(running.second))};
  }

  /// The pixel of that rank in the window, and its bin.
  struct Ranked {
    float value;
    int bin;
  };

  /// `rank` is one of the window. All lanes search together.
  __device__ static Ranked find_rank(float rank) {
    const ClipShared& s = shared();
    const unsigned int* const begin = s.window_begin;
    const int bin = window_bin_of_rank(rank);
    const Interval& window = s.guess.window;
    const float width = (window.upper - window.lower) * (1.0F / window_bins);
    const auto count = static_cast<float>(begin[bin + 1] - begin[bin]);
    return {window.lower + width * (static_cast<float>(bin) + __fdividef(rank - static_cast<float>(begin[bin]), count)),
            bin};
  }

  /// Of the window, that bin and those beside it, where rounding may lead.
  __device__ static void want(int bin) {
    WantedBins& wanted = shared().wanted;
    const int lane = static_cast<int>(threadIdx.x);
    const int mine = bin - 1 + lane;
    const bool take = lane < 3 && mine >= 0 && mine < window_bins && !wanted.has(mine);
    const int taken = __popc(__ballot_sync(all_lanes, take));
    if (taken == 0 || wanted.count + taken > WantedBins::most) return;
    __syncwarp();
    if (take) atomicOr(&wanted.bits[mine / 32], 1u << mine % 32);
    if (lane == 0) wanted.count += taken;
    __syncwarp();
  }

  __device__ static void go_through_rounds(const Interval& known, Zones& zones) {
    constexpr int most_rounds = 64;
    const ClipShared& s = shared();
    if (!s.window_kept) return;
    const std::int64_t limit = work().max_iterations;
    const auto kappa = static_cast<float>(work().kappa);
    const auto centre = static_cast<float>(s.grid.centre);
    const auto scale = static_cast<float>(s.grid.scale);
    const Sums core{static_cast<float>(s.core.count), static_cast<float>(s.core.first.value() * 0x1p-44),
                    static_cast<float>(s.core.second.value() * 0x1p-40)};
    float lower = (known.lower - centre) * s.per_scale;
    float upper = (known.upper - centre) * s.per_scale;
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
      const Ranked found = find_rank(rank);
      want(found.bin);
      const float median = (found.value - centre) * s.per_scale;
      const float reach = kappa * sigma;
      // The bins' pixels are taken to lie evenly in them, which is wrong by so much of what these add.
      const float margin = reach * (5e-5F + 3e-3F * __fdividef(tail.second, second));
      const float next_lower = fmaxf(lower, median - reach);
      const float next_upper = fminf(upper, median + reach);
      if (!isfinite(margin + median) || !(next_lower < next_upper)) return;
      if (!zones.add(centre + scale * (next_lower - margin), centre + scale * (next_lower + margin),
                     centre + scale * (next_upper - margin), centre + scale * (next_upper + margin))) {
        return;
      }
      if (next_lower - lower < margin / 2 && upper - next_upper < margin / 2) return;  // these zones hold what follows
      lower = next_lower;
      upper = next_upper;
    }
  }

  /// Exactly.
  __device__ static Sums whole_tail() {
    const PixelSums& tail = state().tail;
    if (tail.count == 0) return {0, 0, 0};
    const Moments moments = moments_of(tail, {0, 1});
    const auto count = static_cast<double>(tail.count);
    return {static_cast<float>(count), static_cast<float>(moments.mean * count),
            static_cast<float>((moments.variance + moments.mean * moments.mean) * count)};
  }

  __device__ static void write_wanted() {
    WantedBins& wanted = shared().wanted;
    WantedBins& out = state().wanted;
    const int lane = static_cast<int>(threadIdx.x);
    int before = 0;
    for (int i = lane; i < window_bins / 32; i += warp_size) {
      const std::uint32_t bits = wanted.bits[i];
      int running = __popc(bits);
      for (int reach = 1; reach < warp_size; reach *= 2) {
        const int lower = __shfl_up_sync(all_lanes, running, reach);
        if (lane >= reach) running += lower;
      }
      out.bits[i] = wanted.bits[i] = bits;
      out.before[i] = wanted.before[i] = static_cast<std::uint16_t>(before + running - __popc(bits));
      before += __shfl_sync(all_lanes, running, warp_size - 1);
    }
    if (lane != 0) return;
    out.count = wanted.count;
    state().list_room = work().collected_room / WantedBins::most;
  }
};

}  // namespace srcextract
