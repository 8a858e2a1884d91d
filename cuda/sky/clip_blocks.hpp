#pragma once

#include <cooperative_groups.h>

#include "cuda/sky/clip_parts.hpp"

namespace srcextract {

/// The blocks of the clip at work together: every block calls the same functions in the same order. What they bring
/// together is in the state when obey() returns.

/// Calls f(pixel) for all of this block's pixels, lanes together, with NaN beyond the end of the image.
template <class F>
__device__ void for_each_pixel(const F& f) {
  const std::int64_t count = work().count;
  const std::int64_t tiles = (count + clip_tile - 1) / clip_tile;
  for (std::int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const std::int64_t begin = tile * clip_tile;
    for_each_of(work().pixels + begin, count - begin < clip_tile ? count - begin : clip_tile, f);
  }
}

/// Lists the pixels in those bins of the window that are wanted.
__device__ __noinline__ void collect() {
  ClipShared& s = shared();
  constexpr int words = sizeof(WantedBins) / sizeof(unsigned int);
  for (int i = static_cast<int>(threadIdx.x); i < words; i += clip_threads) {
    reinterpret_cast<unsigned int*>(&s.wanted)[i] = reinterpret_cast<const unsigned int*>(&state().wanted)[i];
  }
  if (threadIdx.x == 0) s.list_room = state().list_room;
  __syncthreads();
  if (s.wanted.count == 0) return;
  const float lower = s.guess.window.lower;
  const float per_unit = s.window_per;
  const unsigned int room = s.list_room;
  float* const collected = work().collected;
  unsigned int* const in_list = state().in_list;
  for_each_of_window([&](float x) {
    if (x != x) return;
    const int bin = window_bin(x, lower, per_unit);
    if (!s.wanted.has(bin)) return;
    const int list = s.wanted.list_of(bin);
    const unsigned int at = atomicAdd(&in_list[list], 1u);
    if (at < room) collected[static_cast<std::size_t>(list) * room + at] = x;
  });
  end_together();
}

/// Sums the parts of the tail, lists what is in its zones, and collects the wanted pixels of the window.
__device__ __noinline__ void split() {
  ClipShared& s = shared();
  __syncthreads();
  constexpr int words = sizeof(TailCuts) / sizeof(unsigned int);
  if (threadIdx.x < words) {
    reinterpret_cast<unsigned int*>(&s.cuts)[threadIdx.x] =
        reinterpret_cast<const unsigned int*>(&state().cuts)[threadIdx.x];
  }
  __syncthreads();
  for (std::int64_t begin = 0; begin < s.tail_listed && s.cuts.zones > 0; begin += PartSums::most_pixels) {
    add_to_parts(tail_list() + begin, min(PartSums::most_pixels, s.tail_listed - begin));
    bring_parts_together();
  }
  collect();
}

// --- What is asked for where that is not enough.

/// Sums the pixels in the state's interval, and counts those below it.
template <class ForEach>
__device__ void sum_interval(const ForEach& for_each) {
  ClipShared& s = shared();
  clear(s.block);
  __syncthreads();
  const Interval interval = state().interval;
  ThreadSums sums(s.grid);
  std::int64_t below = 0;
  for_each([&](float x) {
    below += x <= interval.lower;
    sums.add(interval.contains(x), x, s.block);
  });
  bring_sums(state().sums, sums, below);
  bring_higher_classes(state().sums);
}

__device__ __noinline__ void sum_tail() {
  sum_interval([](const auto& f) { for_each_of_tail(f); });
}
__device__ __noinline__ void sum_image() {
  sum_interval([](const auto& f) { for_each_pixel(f); });
}

template <class ForEach>
__device__ void find_extremes(const ForEach& for_each) {
  ClipShared& s = shared();
  __syncthreads();
  if (threadIdx.x == 0) clear_extremes(s.low_key, s.high_key);
  __syncthreads();
  const Interval interval = state().interval;
  Extremes extremes;
  for_each([&](float x) {
    if (interval.contains(x)) add_extreme(extremes, x);
  });
  add_block_extremes(extremes);
  if (threadIdx.x == 0 && s.low_key <= s.high_key) {
    atomicMin(&state().low_key, s.low_key);
    atomicMax(&state().high_key, s.high_key);
  }
  end_together();
}

__device__ __noinline__ void find_tail_extremes() {
  find_extremes([](const auto& f) { for_each_of_tail(f); });
}
__device__ __noinline__ void find_image_extremes() {
  find_extremes([](const auto& f) { for_each_pixel(f); });
}

/// Lanes of a warp that have the same digit are counted at once: there may be one value in all of the image.
__device__ __noinline__ void count_digits() {
  ClipShared& s = shared();
  const std::uint32_t prefix = state().prefix;
  const std::uint32_t mask = state().prefix_mask;
  const int shift = state().shift;
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < 256; i += clip_threads) s.digits[i] = 0;
  __syncthreads();
  for_each_pixel([&](float x) {
    const std::uint32_t key = ordered_key(x + 0.0F);
    const bool counted = x == x && (key & mask) == prefix;
    const unsigned int digit = counted ? key >> shift & 255u : 256u;
    const unsigned int same = __match_any_sync(all_lanes, digit);
    const bool first = (same & ((1u << threadIdx.x % warp_size) - 1u)) == 0;
    if (counted && first) atomicAdd(&s.digits[digit], __popc(same));
  });
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < 256; i += clip_threads) {
    if (s.digits[i] != 0) atomicAdd(&state().digits[i], static_cast<Count>(s.digits[i]));
  }
  end_together();
}

/// What stands for the spread of a sample that has none.
__device__ __noinline__ void find_smallest_scale() {
  const SumGrid grid = state().grid;
  Count smallest = ~Count{0};
  for_each_pixel([&](float x) {
    const double distance = fabs(grid.deviation(x));
    if (distance > 0) smallest = min(smallest, static_cast<Count>(bits_of(distance)));
  });
  for (int reach = warp_size / 2; reach > 0; reach /= 2) {
    smallest = min(smallest, __shfl_down_sync(all_lanes, smallest, reach));
  }
  if (first_lane()) atomicMin(&state().smallest, smallest);
  end_together();
}

// --- Who does what when.

__device__ inline void sync_blocks() {
  cooperative_groups::this_grid().sync();
}

/// Does what the state says, the leader's block among all.
__device__ __noinline__ void obey() {
  switch (state().command) {
    case ClipCommand::look:
      look_at_all();
      break;
    case ClipCommand::split:
      split();
      break;
    case ClipCommand::sum_tail:
      sum_tail();
      break;
    case ClipCommand::sum_image:
      sum_image();
      break;
    case ClipCommand::tail_extremes:
      find_tail_extremes();
      break;
    case ClipCommand::image_extremes:
      find_image_extremes();
      break;
    case ClipCommand::collect:
      __syncthreads();
      collect();
      break;
    case ClipCommand::count_digits:
      count_digits();
      break;
    case ClipCommand::end:
      return;
  }
  sync_blocks();
}

/// What the clip begins with: the first command is to look.
__device__ inline void begin_clip(const ClipWork& work) {
  if (threadIdx.x == 0) shared().work = work;
  __syncthreads();
  if (state().grid.scale == 0) {
    find_smallest_scale();
    sync_blocks();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      const Count bits = state().smallest;
      double distance = 1;
      if (bits != ~Count{0}) memcpy(&distance, &bits, sizeof(distance));
      state().grid.scale = power_of_two_below(distance);
    }
    sync_blocks();
  }
  obey();
}

/// Obeys the leader until it says that this is the end.
__device__ inline void follow_leader() {
  for (;;) {
    sync_blocks();
    if (state().command == ClipCommand::end) return;
    obey();
  }
}

}  // namespace srcextract
