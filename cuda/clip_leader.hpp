#pragma once

#include "cuda/clip_blocks.hpp"

namespace srcextract {

/// The image as clip() sees it (stages/clip.hpp): one block, which goes through the rounds with what a look has left in
/// bins, and asks all blocks to look again, or to go over the pixels, where that is not enough. Every thread of the
/// block calls the methods, with the same arguments.
class ClipLeader {
 public:
  __device__ ClipLeader(const ClipWork& work, ClipShared& shared, ClipBlocks& blocks)
      : w_(work), s_(shared), blocks_(blocks) {}

  __device__ const SumGrid& grid() const { return s_.grid; }
  __device__ double zero_share() const { return w_.state->zero_share; }

  __device__ void set_grid(const SumGrid& grid) {
    __syncthreads();
    if (threadIdx.x == 0) w_.state->grid = grid;
    look_again();
  }

  __device__ const PixelSums& sum(const Interval& interval) {
    if (!interval.contains(s_.guess.core)) {
      // The next intervals lie in this one: its middle half is a core until they have shrunk by as much.
      const float quarter = (interval.upper - interval.lower) / 4;
      __syncthreads();
      if (threadIdx.x == 0) w_.state->guess.core = {interval.lower + quarter, interval.upper - quarter};
      look_again();
    }
    __syncthreads();
    if (s_.tail_kept) {
      if (s_.looked) start_sums();
      remove(interval);
    } else {
      sum_image(interval);
    }
    if (unmasked_ == 0) unmasked_ = s_.sums.count;
    return s_.sums;
  }

  __device__ double median(std::int64_t below, std::int64_t count) {
    const double upper = value(below + count / 2);
    if (count % 2 == 1) return upper;
    return (value(below + count / 2 - 1) + upper) / 2;
  }

  __device__ Extremes extremes(const Interval& interval) {
    if (s_.tail_kept) {
      const Extremes found = tail_extremes(interval);
      // The tail is all around the core, or else the core's own pixels are wanted.
      if (found.smallest <= s_.guess.core.lower && found.largest >= s_.guess.core.upper) return found;
    }
    return image_extremes(interval);
  }

  __device__ void end() {
    __syncthreads();
    if (threadIdx.x == 0) w_.state->command = ClipCommand::end;
    ClipBlocks::sync();
  }

 private:
  /// All blocks do this now. What it adds to must have been cleared.
  __device__ void order(ClipCommand command) {
    __syncthreads();
    if (threadIdx.x == 0) w_.state->command = command;
    ClipBlocks::sync();
    blocks_.obey();
    __syncthreads();
  }

  __device__ void look_again() {
    clear_look(*w_.state);
    order(ClipCommand::look);
  }

  // --- Sums.

  /// The sums over all pixels, which rounds go on from.
  __device__ void start_sums() {
    read_sums(w_.state->all);
    if (threadIdx.x == 0) {
      constexpr float infinity = std::numeric_limits<float>::infinity();
      s_.last = {-infinity, infinity};
      s_.looked = false;
    }
    __syncthreads();
  }

  __device__ void read_sums(const PixelSums& sums) {
    if (threadIdx.x == 0) {
      s_.sums.count = sums.count;
      s_.sums.below = sums.below;
      s_.sums.classes = sums.classes;
    }
    for (int k = static_cast<int>(threadIdx.x); k < sum_classes; k += clip_threads) {
      s_.sums.first[k] = sums.first[k];
      s_.sums.second[k] = sums.second[k];
    }
    __syncthreads();
  }

  __device__ void sum_image(const Interval& interval) {
    clear(w_.state->sums);
    if (threadIdx.x == 0) w_.state->interval = interval;
    order(ClipCommand::sum_image);
    read_sums(w_.state->sums);
  }

  __device__ int bin_of(float x) const {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    if (x == -infinity) return 0;
    return x == infinity ? tail_bins - 1 : blocks_.tail_bin(s_.grid.deviation(x));
  }

  /// From the sums over the last interval to those over one that lies in it: what is in the one but not in the other is
  /// in the bins between their ends.
  __device__ void remove(const Interval& interval) {
    constexpr unsigned int alone = 32 * clip_threads;  // more than this are for all blocks
    const Interval last = s_.last;
    if (interval.contains(last)) return;
    const int high_bin = bin_of(interval.upper);
    const int low_end = min(bin_of(interval.lower) + 1, high_bin);  // no bin is in both parts
    const unsigned int begin[2] = {s_.tail_begin[min(bin_of(last.lower), low_end)], s_.tail_begin[high_bin]};
    const unsigned int count[2] = {s_.tail_begin[low_end] - begin[0],
                                   s_.tail_begin[max(bin_of(last.upper), high_bin) + 1] - begin[1]};
    __syncthreads();
    if (count[0] + count[1] <= alone) {
      blocks_.add_removed(begin, count, last, interval, threadIdx.x, clip_threads);
      subtract(s_.block);
    } else {
      clear(w_.state->sums);
      if (threadIdx.x == 0) {
        for (int part = 0; part < 2; ++part) {
          w_.state->begin[part] = begin[part];
          w_.state->count[part] = count[part];
        }
        w_.state->before = last;
        w_.state->interval = interval;
      }
      order(ClipCommand::sum_removed);
      subtract(w_.state->sums);
    }
    if (threadIdx.x == 0) s_.last = interval;
    __syncthreads();
  }

  __device__ void subtract(const PixelSums& removed) {
    if (threadIdx.x == 0) {
      s_.sums.count -= removed.count;
      s_.sums.below += removed.below;
    }
    for (int k = static_cast<int>(threadIdx.x); k < removed.classes; k += clip_threads) {
      s_.sums.first[k].low -= removed.first[k].low;
      s_.sums.first[k].high -= removed.first[k].high;
      s_.sums.second[k].low -= removed.second[k].low;
      s_.sums.second[k].high -= removed.second[k].high;
    }
  }

  // --- Extremes.

  /// Of the tail: bin by bin from either end of the interval, until one has a pixel in it.
  __device__ Extremes tail_extremes(const Interval& interval) {
    const int low = bin_of(interval.lower);
    const int high = bin_of(interval.upper);
    Extremes found;
    for (int bin = low; bin <= high && found.smallest > found.largest; ++bin) found = bin_extremes(bin, interval);
    if (found.smallest > found.largest) return found;
    Extremes top;
    for (int bin = high; top.smallest > top.largest; --bin) top = bin_extremes(bin, interval);
    return {found.smallest, top.largest};
  }

  __device__ Extremes bin_extremes(int bin, const Interval& interval) {
    const unsigned int begin = s_.tail_begin[bin];
    const unsigned int count = s_.tail_begin[bin + 1] - begin;
    if (count == 0) return {};
    return extremes_of(w_.binned_tail + begin, count, [&](float x) { return interval.contains(x); });
  }

  __device__ Extremes image_extremes(const Interval& interval) {
    __syncthreads();  // some may still be reading the last ones
    if (threadIdx.x == 0) {
      w_.state->interval = interval;
      w_.state->low_key = std::numeric_limits<std::int32_t>::max();
      w_.state->high_key = std::numeric_limits<std::int32_t>::min();
    }
    order(ClipCommand::extremes);
    return {value_of_signed_key(w_.state->low_key), value_of_signed_key(w_.state->high_key)};
  }

  // --- Ranks.

  /// The pixel of that rank among all, 0 the smallest; +0 for either zero.
  __device__ float value(std::int64_t rank) {
    constexpr int most_looks = 3;
    for (int looks = 0;; ++looks) {
      if (rank >= s_.cached_first && rank < s_.cached_first + s_.cached_count) {
        return s_.sorted[s_.cached_equal ? 0 : rank - s_.cached_first] + 0.0F;
      }
      const auto below_window = static_cast<std::int64_t>(w_.state->below_window);
      if (s_.window_kept && rank >= below_window && rank - below_window < s_.window_begin[window_bins]) {
        find_in_window(static_cast<unsigned int>(rank - below_window), below_window);
      } else if (!s_.window_kept || looks == most_looks) {
        find_by_digits(rank);
      } else {
        move_window(static_cast<double>(rank) / static_cast<double>(unmasked_), 1 << looks);
      }
    }
  }

  __device__ void move_window(double fraction, int margins) {
    const int samples = w_.state->samples;
    const double reach = rank_margin(max(samples, 1)) * margins;
    __syncthreads();
    if (threadIdx.x == 0) {
      w_.state->guess.window = window_between(w_.sorted, samples, fraction - reach, fraction + reach);
    }
    look_again();
  }

  __device__ void cache_equal(float value, std::int64_t first, std::int64_t count) {
    __syncthreads();
    if (threadIdx.x == 0) s_.sorted[0] = value;
    set_cached(true, first, count);
  }

  __device__ void set_cached(bool equal, std::int64_t first, std::int64_t count) {
    if (threadIdx.x == 0) {
      s_.cached_equal = equal;
      s_.cached_first = first;
      s_.cached_count = count;
    }
    __syncthreads();
  }

  __device__ void find_in_window(unsigned int rank, std::int64_t below_window) {
    for (int bin = static_cast<int>(threadIdx.x); bin < window_bins; bin += clip_threads) {
      if (s_.window_begin[bin] <= rank && rank < s_.window_begin[bin + 1]) s_.found = static_cast<unsigned int>(bin);
    }
    __syncthreads();
    const unsigned int bin = s_.found;
    const unsigned int begin = s_.window_begin[bin];
    const double width = (static_cast<double>(s_.guess.window.upper) - s_.guess.window.lower) / window_bins;
    const double low = s_.guess.window.lower + bin * width;
    cache_around(w_.binned_window + begin, s_.window_begin[bin + 1] - begin, rank - begin, below_window + begin, low,
                 low + width);
  }

  /// Equal parts of a range of values, the ends being about `low` and `high`.
  struct Parts {
    static constexpr int count = 64;
    double low;
    double per_unit;
    __device__ Parts(double from, double to) : low(from), per_unit(count / (to - from)) {}
    __device__ int of(float x) const { return min(max(static_cast<int>((x - low) * per_unit), 0), count - 1); }
  };

  /// Caches those of `count` values, the smallest of which has rank `first`, that are around the `wanted`-th of them:
  /// parts of the range are counted, the part that holds it is parted again while it has many, and kept when few.
  __device__ void cache_around(const float* values, unsigned int count, unsigned int wanted, std::int64_t first,
                               double low, double high) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    float smallest = -infinity;
    float largest = infinity;
    unsigned int before = 0;
    for (;;) {
      const Parts parts(low, high);
      const auto in_range = [&](float x) { return x >= smallest && x <= largest; };
      count_parts(values, count, parts, in_range);
      unsigned int in_part = 0;
      const int part = find_part(wanted - before, before, in_part);
      const auto in_found = [&](float x) { return in_range(x) && parts.of(x) == part; };
      if (in_part <= few) {
        collect(values, count, in_found);
        return set_cached(false, first + before, in_part);
      }
      const Extremes extremes = extremes_of(values, count, in_found);
      smallest = extremes.smallest;
      largest = extremes.largest;
      if (smallest == largest) return cache_equal(smallest, first + before, in_part);
      low = smallest;
      high = largest;
    }
  }

  template <class In>
  __device__ void count_parts(const float* values, unsigned int count, const Parts& parts, const In& in) {
    __syncthreads();
    if (threadIdx.x < Parts::count) s_.digits[threadIdx.x] = 0;
    __syncthreads();
    ClipBlocks::for_each_of(values, count, [&](float x) {
      if (in(x)) atomicAdd(&s_.digits[parts.of(x)], 1u);
    });
    __syncthreads();
  }

  /// The part that holds the `wanted`-th value counted; adds to `before` those of the parts before it. Every warp finds
  /// it by itself.
  __device__ int find_part(unsigned int wanted, unsigned int& before, unsigned int& in_part) const {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const unsigned int even = s_.digits[2 * lane];
    const unsigned int odd = s_.digits[2 * lane + 1];
    unsigned int running = even + odd;
    for (int reach = 1; reach < warp_size; reach *= 2) {
      const unsigned int lower = __shfl_up_sync(all_lanes, running, reach);
      if (lane >= reach) running += lower;
    }
    const int found = __ffs(static_cast<int>(__ballot_sync(all_lanes, wanted < running))) - 1;
    const unsigned int even_begin = __shfl_sync(all_lanes, running - even - odd, found);
    const unsigned int even_count = __shfl_sync(all_lanes, even, found);
    const unsigned int odd_count = __shfl_sync(all_lanes, odd, found);
    const bool in_even = wanted < even_begin + even_count;
    before += in_even ? even_begin : even_begin + even_count;
    in_part = in_even ? even_count : odd_count;
    return in_even ? 2 * found : 2 * found + 1;
  }

  /// At most `few` values, sorted: the place of each is how many are smaller, or equal and before it.
  template <class In>
  __device__ void collect(const float* values, unsigned int count, const In& in) {
    __syncthreads();
    if (threadIdx.x == 0) s_.collected = 0;
    __syncthreads();
    ClipBlocks::for_each_of(values, count, [&](float x) {
      if (in(x)) s_.cache[atomicAdd(&s_.collected, 1u)] = x;
    });
    __syncthreads();
    if (threadIdx.x < s_.collected) {
      const float mine = s_.cache[threadIdx.x];
      unsigned int place = 0;
      for (unsigned int i = 0; i < s_.collected; ++i) {
        place += s_.cache[i] < mine || (s_.cache[i] == mine && i < threadIdx.x) ? 1 : 0;
      }
      s_.sorted[place] = mine;
    }
  }

  template <class In>
  __device__ Extremes extremes_of(const float* values, unsigned int count, const In& in) {
    __syncthreads();
    if (threadIdx.x == 0) {
      s_.low_key = std::numeric_limits<std::int32_t>::max();
      s_.high_key = std::numeric_limits<std::int32_t>::min();
    }
    __syncthreads();
    Extremes mine;
    ClipBlocks::for_each_of(values, count, [&](float x) {
      if (!in(x)) return;
      mine.smallest = fminf(mine.smallest, x);
      mine.largest = fmaxf(mine.largest, x);
    });
    for (int reach = warp_size / 2; reach > 0; reach /= 2) {
      mine.smallest = fminf(mine.smallest, __shfl_down_sync(all_lanes, mine.smallest, reach));
      mine.largest = fmaxf(mine.largest, __shfl_down_sync(all_lanes, mine.largest, reach));
    }
    if (first_lane() && mine.smallest <= mine.largest) {
      atomicMin(&s_.low_key, signed_key(mine.smallest + 0.0F));
      atomicMax(&s_.high_key, signed_key(mine.largest + 0.0F));
    }
    __syncthreads();
    if (s_.low_key > s_.high_key) return {};
    return {value_of_signed_key(s_.low_key), value_of_signed_key(s_.high_key)};
  }

  /// By four passes over the image, one for every byte of the keys: for images in which a few values are so frequent
  /// that no window can hold them.
  __device__ void find_by_digits(std::int64_t rank) {
    std::uint32_t key = 0;
    std::int64_t first = 0;
    std::int64_t count = 0;
    for (int shift = 24; shift >= 0; shift -= 8) {
      if (threadIdx.x < 256) w_.state->digits[threadIdx.x] = 0;
      if (threadIdx.x == 0) {
        w_.state->prefix = key;
        w_.state->prefix_mask = shift == 24 ? 0 : 0xffffffffu << (shift + 8);
        w_.state->shift = shift;
      }
      order(ClipCommand::count_digits);
      if (threadIdx.x < 256) s_.digit_totals[threadIdx.x] = w_.state->digits[threadIdx.x];
      __syncthreads();
      std::uint32_t digit = 0;
      for (; digit < 255 && rank >= first + static_cast<std::int64_t>(s_.digit_totals[digit]); ++digit) {
        first += static_cast<std::int64_t>(s_.digit_totals[digit]);
      }
      count = static_cast<std::int64_t>(s_.digit_totals[digit]);
      key |= digit << shift;
      __syncthreads();
    }
    cache_equal(value_of_signed_key(static_cast<std::int32_t>(key ^ 0x80000000u)), first, count);
  }

  ClipWork w_;
  ClipShared& s_;
  ClipBlocks& blocks_;
  std::int64_t unmasked_ = 0;  ///< pixels in the first interval, which is of all
};

}  // namespace srcextract
