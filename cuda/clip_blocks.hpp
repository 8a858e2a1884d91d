#pragma once

#include <cooperative_groups.h>

#include "cuda/clip_memory.hpp"

namespace srcextract {

inline constexpr int clip_threads = 512;
inline constexpr int loads_per_thread = 4;
inline constexpr int thread_pixels = 4 * loads_per_thread;
inline constexpr int clip_tile = clip_threads * thread_pixels;

/// Values that are ranked by comparing each with each.
inline constexpr int few = clip_threads;

/// The image and the memory to work in. Block b works on tiles b, b + blocks, ... and lists what they leave in parts of
/// `tail` and `window` of its own, in any order; `binned_*` have them bin after bin, those of all blocks.
struct ClipWork {
  const float* pixels;
  std::int64_t count;
  const float* sorted;  ///< the sample
  float* tail;
  float* window;
  float* binned_tail;
  float* binned_window;
  std::int64_t tail_room, window_room;                ///< of a block
  std::int64_t binned_tail_room, binned_window_room;  ///< of all
  ClipState* state;
};

struct ClipShared {
  SumGrid grid;
  double per_scale;  ///< 1 / grid.scale
  Interval near;
  ClipGuess guess;
  PixelSums block;  ///< this block's part of sums under way
  // Of the last look:
  unsigned int tail_count, window_count;  ///< this block's
  bool heavy;                             ///< one value of the window is so frequent that it is not worth keeping
  bool tail_kept, window_kept;            ///< of all blocks, in bins
  unsigned int tail_begin[tail_bins + 1];
  unsigned int window_begin[window_bins + 1];
  unsigned int tail_place[tail_bins], window_place[window_bins];  ///< of this block's next pixel in a bin
  unsigned int digits[256];
  // The leader's:
  PixelSums sums;  ///< of the last interval
  Interval last;
  bool looked;  ///< no interval since the look
  Count digit_totals[256];
  std::int64_t cached_first, cached_count;  ///< ranks whose values are known: one for all, or all of them in `sorted`
  bool cached_equal;
  float cache[few], sorted[few];
  unsigned int found, collected;
  std::int32_t low_key, high_key;
};

/// Exclusive running sums of `Size` counts, Size a multiple of the block's threads; the total is element Size.
template <int Size>
__device__ void scan_block(const unsigned int* counts, unsigned int* begin) {
  __shared__ unsigned int warp_total[clip_threads / warp_size];
  constexpr int per_thread = Size / clip_threads;
  unsigned int mine[per_thread];
  unsigned int sum = 0;
  for (int i = 0; i < per_thread; ++i) sum += mine[i] = counts[threadIdx.x * per_thread + i];
  unsigned int running = sum;
  for (int reach = 1; reach < warp_size; reach *= 2) {
    const unsigned int before = __shfl_up_sync(all_lanes, running, reach);
    if (threadIdx.x % warp_size >= reach) running += before;
  }
  if (threadIdx.x % warp_size == warp_size - 1) warp_total[threadIdx.x / warp_size] = running;
  __syncthreads();
  unsigned int before = running - sum;
  for (int w = 0; w < threadIdx.x / warp_size; ++w) before += warp_total[w];
  for (int i = 0; i < per_thread; ++i) {
    begin[threadIdx.x * per_thread + i] = before;
    before += mine[i];
  }
  if (threadIdx.x == clip_threads - 1) begin[Size] = before;
  __syncthreads();
}

/// The blocks of the clip at work together: every block calls the same methods in the same order. What they bring
/// together is in the state when a method returns.
class ClipBlocks {
 public:
  __device__ ClipBlocks(const ClipWork& work, ClipShared& shared) : w_(work), s_(shared) {}

  /// What the clip begins with: the first command is to look.
  __device__ void begin() {
    if (w_.state->grid.scale == 0) find_smallest_scale();
    obey();
  }

  /// Obeys the leader until it says that this is the end.
  __device__ void follow() {
    for (;;) {
      sync();
      if (w_.state->command == ClipCommand::end) return;
      obey();
    }
  }

  /// Does what the state says, the leader's block among all. Not inlined: it is all of the work, and called from many
  /// places.
  __device__ __noinline__ void obey() {
    switch (w_.state->command) {
      case ClipCommand::look:
        return look();
      case ClipCommand::sum_image:
        return sum_image();
      case ClipCommand::sum_removed:
        return sum_removed();
      case ClipCommand::extremes:
        return find_extremes();
      case ClipCommand::count_digits:
        return count_digits();
      case ClipCommand::end:
        return;
    }
  }

  __device__ static void sync() { cooperative_groups::this_grid().sync(); }

  __device__ int tail_bin(double deviation) const {
    const double scales = fabs(deviation) * s_.per_scale;
    // The exponent of a double and its first five bits count the bins.
    constexpr int first = 1023 * bins_per_octave;
    const int bin = min(max(static_cast<int>(bits_of(scales) >> 47) - first, 0), side_bins - 1);
    return deviation < 0 ? side_bins - 1 - bin : side_bins + bin;
  }

 private:
  // --- One look at all pixels: sums the core, keeps tail and window, and sorts these into bins.

  __device__ void look() {
    start_look();
    ExactSum first, second;
    unsigned int inside = 0;
    unsigned int below_window = 0;
    const std::int64_t tiles = (w_.count + clip_tile - 1) / clip_tile;
    for (std::int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      look_at(tile, first, second, inside, below_window);
    }
    __syncthreads();  // the lists are complete
    std::int64_t count = inside;
    count_tail(first, second, count);
    count_window();
    add_warp(s_.block.first[0], first);
    add_warp(s_.block.second[0], second);
    add_warp(s_.block.count, count);
    const Count below = warp_sum(static_cast<Count>(below_window));
    if (first_lane() && below != 0) atomicAdd(&w_.state->below_window, below);
    if (threadIdx.x == 0) {
      if (s_.tail_count > w_.tail_room) atomicAdd(&w_.state->tail_overflow, 1u);
      if (s_.window_count > w_.window_room || s_.heavy) atomicAdd(&w_.state->window_overflow, 1u);
    }
    __syncthreads();
    add_block(w_.state->all, s_.block);
    claim_places();
    sync();
    place_bins();
    sync();
  }

  __device__ void start_look() {
    __syncthreads();
    if (threadIdx.x == 0) {
      s_.grid = w_.state->grid;
      s_.per_scale = 1 / s_.grid.scale;
      s_.near = s_.grid.near_pixels();
      s_.guess = w_.state->guess;
      s_.guess.core = s_.guess.core.within(s_.near);
      s_.tail_count = s_.window_count = 0;
      s_.heavy = false;
      s_.cached_count = 0;
      s_.looked = true;
    }
    clear(s_.block);
    for (int bin = static_cast<int>(threadIdx.x); bin < tail_bins; bin += clip_threads) s_.tail_place[bin] = 0;
    for (int bin = static_cast<int>(threadIdx.x); bin < window_bins; bin += clip_threads) s_.window_place[bin] = 0;
    __syncthreads();
    const int samples = w_.state->samples;
    const int run = max(samples / 128, 16);
    for (int i = static_cast<int>(threadIdx.x); i + run < samples; i += clip_threads) {
      const float x = w_.sorted[i];
      if (x == w_.sorted[i + run] && s_.guess.window.contains(x)) s_.heavy = true;
    }
    __syncthreads();
  }

  __device__ void look_at(std::int64_t tile, ExactSum& first, ExactSum& second, unsigned int& inside,
                          unsigned int& below_window) {
    const Interval core = s_.guess.core;
    const Interval window = s_.guess.window;
    const RoundingConstants round(s_.grid.scale);
    const double centre = s_.grid.centre;
    const auto nothing = static_cast<float>(centre);  // adds 0
    float4 loaded[loads_per_thread];
    load_tile(tile, loaded);
    Count first_sum = 0;  // modulo 2^64: the constants, which overflow it, are taken off again
    Count second_sum = 0;
    unsigned int tail_bits = 0;
    unsigned int window_bits = 0;
    for_each_loaded(loaded, [&](int i, float x) {
      const bool in_core = core.contains(x);
      const double deviation = static_cast<double>(in_core ? x : nothing) - centre;
      first_sum += static_cast<Count>(bits_of(deviation + round.first));
      second_sum += static_cast<Count>(bits_of(deviation * deviation + round.second));
      inside += in_core;
      below_window += x <= window.lower;
      tail_bits |= (!in_core && x == x ? 1u : 0u) << i;
      window_bits |= (window.contains(x) ? 1u : 0u) << i;
    });
    first.add(static_cast<std::int64_t>(first_sum - thread_pixels * static_cast<Count>(bits_of(round.first))));
    second.add(static_cast<std::int64_t>(second_sum - thread_pixels * static_cast<Count>(bits_of(round.second))));
    if (s_.heavy) window_bits = 0;
    keep(loaded, tail_bits, window_bits);
  }

  __device__ void load_tile(std::int64_t tile, float4 (&loaded)[loads_per_thread]) const {
    const std::int64_t first = tile * clip_tile + threadIdx.x * 4;
#pragma unroll
    for (int part = 0; part < loads_per_thread; ++part) loaded[part] = load(first + part * clip_threads * 4);
  }

  /// Masked pixels stand for those beyond the end.
  __device__ float4 load(std::int64_t first) const {
    if (first + 4 <= w_.count) return *reinterpret_cast<const float4*>(w_.pixels + first);
    const float masked = std::numeric_limits<float>::quiet_NaN();
    return {first < w_.count ? w_.pixels[first] : masked, first + 1 < w_.count ? w_.pixels[first + 1] : masked,
            first + 2 < w_.count ? w_.pixels[first + 2] : masked, masked};
  }

  template <class F>
  __device__ static void for_each_loaded(const float4 (&loaded)[loads_per_thread], const F& f) {
#pragma unroll
    for (int part = 0; part < loads_per_thread; ++part) {
      f(4 * part, loaded[part].x);
      f(4 * part + 1, loaded[part].y);
      f(4 * part + 2, loaded[part].z);
      f(4 * part + 3, loaded[part].w);
    }
  }

  /// Appends the marked pixels to this block's lists. What has no room is counted all the same.
  __device__ void keep(const float4 (&loaded)[loads_per_thread], unsigned int tail_bits, unsigned int window_bits) {
    const unsigned int mine = __popc(tail_bits) | __popc(window_bits) << 16;
    const unsigned int lane = threadIdx.x % warp_size;
    unsigned int running = mine;
    for (int reach = 1; reach < warp_size; reach *= 2) {
      const unsigned int before = __shfl_up_sync(all_lanes, running, reach);
      if (lane >= reach) running += before;
    }
    const unsigned int total = __shfl_sync(all_lanes, running, warp_size - 1);
    unsigned int base = 0;
    if (lane == 0) base = atomicAdd(&s_.tail_count, total & 0xffffu);
    if (lane == 1) base = atomicAdd(&s_.window_count, total >> 16);
    unsigned int tail_at = __shfl_sync(all_lanes, base, 0) + ((running - mine) & 0xffffu);
    unsigned int window_at = __shfl_sync(all_lanes, base, 1) + ((running - mine) >> 16);
    float* const tail_list = tail();
    float* const window_list = window();
    for_each_loaded(loaded, [&](int i, float x) {
      if ((tail_bits >> i & 1u) != 0) {
        if (tail_at < w_.tail_room) tail_list[tail_at] = x;
        ++tail_at;
      }
      if ((window_bits >> i & 1u) != 0) {
        if (window_at < w_.window_room) window_list[window_at] = x;
        ++window_at;
      }
    });
  }

  __device__ float* tail() const {
    return w_.tail + blockIdx.x * w_.tail_room;
  }
  __device__ float* window() const {
    return w_.window + blockIdx.x * w_.window_room;
  }
  /// How many of them are there.
  __device__ unsigned int tail_listed() const {
    return s_.tail_count <= w_.tail_room ? s_.tail_count : 0;
  }
  __device__ unsigned int window_listed() const {
    return s_.window_count <= w_.window_room ? s_.window_count : 0;
  }

 public:
  /// Calls f(pixel) for those of a list, lanes together, with NaN beyond its end.
  template <class F>
  __device__ static void for_each_of(const float* list, unsigned int count, const F& f) {
    constexpr int parts = 4;
    for (unsigned int begin = 0; begin < count; begin += parts * clip_threads) {
      float x[parts];
#pragma unroll
      for (int part = 0; part < parts; ++part) {
        const unsigned int i = begin + part * clip_threads + threadIdx.x;
        x[part] = i < count ? list[i] : std::numeric_limits<float>::quiet_NaN();
      }
#pragma unroll
      for (int part = 0; part < parts; ++part) f(x[part]);
    }
  }

 private:
  /// Calls f(pixel) for all of this block's pixels, lanes together, with NaN beyond the end of the image.
  template <class F>
  __device__ void for_each_pixel(const F& f) const {
    const std::int64_t tiles = (w_.count + clip_tile - 1) / clip_tile;
    for (std::int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      const std::int64_t begin = tile * clip_tile;
      const std::int64_t here = w_.count - begin < clip_tile ? w_.count - begin : clip_tile;
      for_each_of(w_.pixels + begin, static_cast<unsigned int>(here), f);
    }
  }

  __device__ int window_bin(float x) const {
    const Interval& window = s_.guess.window;
    const float per_unit = window_bins / (window.upper - window.lower);
    return min(max(static_cast<int>((x - window.lower) * per_unit), 0), window_bins - 1);
  }

  /// Counts this block's pixels of every bin of the tail, and sums them.
  __device__ void count_tail(ExactSum& first, ExactSum& second, std::int64_t& count) {
    const RoundingConstants round(s_.grid.scale);
    for_each_of(tail(), tail_listed(), [&](float x) {
      const double deviation = s_.grid.deviation(x);
      const bool near = s_.near.contains(x);
      if (x == x) {
        atomicAdd(&s_.tail_place[tail_bin(deviation)], 1u);
        ++count;
      }
      if (near) add_terms(first, second, deviation, round);
      add_far(s_.block, x == x && !near, deviation, s_.grid);
    });
  }

  __device__ void count_window() {
    for_each_of(window(), window_listed(), [&](float x) {
      if (x == x) atomicAdd(&s_.window_place[window_bin(x)], 1u);
    });
  }

  /// In every bin, behind the pixels of the blocks before.
  __device__ void claim_places() {
    for (int bin = static_cast<int>(threadIdx.x); bin < tail_bins; bin += clip_threads) {
      if (s_.tail_place[bin] != 0) s_.tail_place[bin] = atomicAdd(&w_.state->bins[bin], s_.tail_place[bin]);
    }
    unsigned int* const of_window = w_.state->bins + tail_bins;
    for (int bin = static_cast<int>(threadIdx.x); bin < window_bins; bin += clip_threads) {
      if (s_.window_place[bin] != 0) s_.window_place[bin] = atomicAdd(&of_window[bin], s_.window_place[bin]);
    }
  }

  /// Puts the pixels where they belong.
  __device__ void place_bins() {
    scan_block<tail_bins>(w_.state->bins, s_.tail_begin);
    scan_block<window_bins>(w_.state->bins + tail_bins, s_.window_begin);
    if (threadIdx.x == 0) {
      s_.tail_kept = w_.state->tail_overflow == 0 && s_.tail_begin[tail_bins] <= w_.binned_tail_room;
      s_.window_kept = w_.state->window_overflow == 0 && s_.window_begin[window_bins] <= w_.binned_window_room;
    }
    __syncthreads();
    if (s_.tail_kept) {
      for_each_of(tail(), tail_listed(), [&](float x) {
        if (x != x) return;
        const int bin = tail_bin(s_.grid.deviation(x));
        w_.binned_tail[s_.tail_begin[bin] + atomicAdd(&s_.tail_place[bin], 1u)] = x;
      });
    }
    if (s_.window_kept) {
      for_each_of(window(), window_listed(), [&](float x) {
        if (x != x) return;
        const int bin = window_bin(x);
        w_.binned_window[s_.window_begin[bin] + atomicAdd(&s_.window_place[bin], 1u)] = x;
      });
    }
  }

 public:
  /// Adds to this block's sums the pixels in `before`, but not in `after`, among two parts of the binned tail. The
  /// thread takes every `threads`-th from the `first` on; lanes go together.
  __device__ void add_removed(const unsigned int (&begin)[2], const unsigned int (&count)[2], const Interval& before,
                              const Interval& after, unsigned int first_thread, unsigned int threads) {
    clear(s_.block);
    __syncthreads();
    ExactSum first, second;
    std::int64_t removed = 0;
    std::int64_t below = 0;
    const RoundingConstants round(s_.grid.scale);
    const unsigned int total = count[0] + count[1];
    constexpr unsigned int parts = 4;  // loads under way at a time
    for (unsigned int at = first_thread; at - threadIdx.x % warp_size < total; at += parts * threads) {
      float x[parts];
#pragma unroll
      for (unsigned int part = 0; part < parts; ++part) {
        const unsigned int i = at + part * threads;
        x[part] = std::numeric_limits<float>::quiet_NaN();
        if (i < total) x[part] = w_.binned_tail[i < count[0] ? begin[0] + i : begin[1] + (i - count[0])];
      }
#pragma unroll
      for (unsigned int part = 0; part < parts; ++part) {
        const bool gone = before.contains(x[part]) && !after.contains(x[part]);
        const bool near = gone && s_.near.contains(x[part]);
        const double deviation = s_.grid.deviation(x[part]);
        removed += gone;
        below += gone && x[part] <= after.lower;
        if (near) add_terms(first, second, deviation, round);
        add_far(s_.block, gone && !near, deviation, s_.grid);
      }
    }
    add_warp(s_.block.first[0], first);
    add_warp(s_.block.second[0], second);
    add_warp(s_.block.count, removed);
    add_warp(s_.block.below, below);
    __syncthreads();
  }

 private:
  __device__ void sum_removed() {
    const ClipState& state = *w_.state;
    add_removed(state.begin, state.count, state.before, state.interval, blockIdx.x * clip_threads + threadIdx.x,
                gridDim.x * clip_threads);
    add_block(w_.state->sums, s_.block);
    sync();
  }

  // --- What is asked for where the tail or the window is too large to be kept.

  __device__ void sum_image() {
    clear(s_.block);
    __syncthreads();
    const Interval interval = w_.state->interval;
    ExactSum first, second;
    std::int64_t count = 0;
    std::int64_t below = 0;
    const RoundingConstants round(s_.grid.scale);
    for_each_pixel([&](float x) {
      const bool inside = interval.contains(x);
      const bool near = inside && s_.near.contains(x);
      const double deviation = s_.grid.deviation(x);
      count += inside;
      below += x <= interval.lower;
      if (near) add_terms(first, second, deviation, round);
      add_far(s_.block, inside && !near, deviation, s_.grid);
    });
    add_warp(s_.block.first[0], first);
    add_warp(s_.block.second[0], second);
    add_warp(s_.block.count, count);
    add_warp(s_.block.below, below);
    __syncthreads();
    add_block(w_.state->sums, s_.block);
    sync();
  }

  __device__ void find_extremes() {
    const Interval interval = w_.state->interval;
    std::int32_t low = std::numeric_limits<std::int32_t>::max();
    std::int32_t high = std::numeric_limits<std::int32_t>::min();
    for_each_pixel([&](float x) {
      if (!interval.contains(x)) return;
      low = min(low, signed_key(x));
      high = max(high, signed_key(x));
    });
    for (int reach = warp_size / 2; reach > 0; reach /= 2) {
      low = min(low, __shfl_down_sync(all_lanes, low, reach));
      high = max(high, __shfl_down_sync(all_lanes, high, reach));
    }
    if (first_lane() && low <= high) {
      atomicMin(&w_.state->low_key, low);
      atomicMax(&w_.state->high_key, high);
    }
    sync();
  }

  /// Lanes of a warp that have the same digit are counted at once: there may be one value in all of the image.
  __device__ void count_digits() {
    const std::uint32_t prefix = w_.state->prefix;
    const std::uint32_t mask = w_.state->prefix_mask;
    const int shift = w_.state->shift;
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < 256; i += clip_threads) s_.digits[i] = 0;
    __syncthreads();
    for_each_pixel([&](float x) {
      const std::uint32_t key = ordered_key(x + 0.0F);
      const bool counted = x == x && (key & mask) == prefix;
      const unsigned int digit = counted ? key >> shift & 255u : 256u;
      const unsigned int same = __match_any_sync(all_lanes, digit);
      const bool first = (same & ((1u << threadIdx.x % warp_size) - 1u)) == 0;
      if (counted && first) atomicAdd(&s_.digits[digit], __popc(same));
    });
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < 256; i += clip_threads) {
      if (s_.digits[i] != 0) atomicAdd(&w_.state->digits[i], static_cast<Count>(s_.digits[i]));
    }
    sync();
  }

  /// What stands for the spread of a sample that has none.
  __device__ void find_smallest_scale() {
    const SumGrid grid = w_.state->grid;
    Count smallest = ~Count{0};
    for_each_pixel([&](float x) {
      const double distance = fabs(grid.deviation(x));
      if (distance > 0) smallest = min(smallest, static_cast<Count>(bits_of(distance)));
    });
    for (int reach = warp_size / 2; reach > 0; reach /= 2) {
      smallest = min(smallest, __shfl_down_sync(all_lanes, smallest, reach));
    }
    if (first_lane()) atomicMin(&w_.state->smallest, smallest);
    sync();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      const Count bits = w_.state->smallest;
      double distance = 1;
      if (bits != ~Count{0}) memcpy(&distance, &bits, sizeof(distance));
      w_.state->grid.scale = power_of_two_below(distance);
    }
    sync();
  }

  ClipWork w_;
  ClipShared& s_;
};

}  // namespace srcextract
