#pragma once

#include "cuda/sky/clip_sums.hpp"

namespace srcextract {

/// Lists in which this block stores pixels of the tail (outside the core) and of the window (near the medians).
__device__ inline float* tail_list() {
  return work().tail + blockIdx.x * work().tail_room;
}
__device__ inline float* window_list() {
  return work().window + blockIdx.x * work().window_room;
}

/// Calls f(pixel) for this block's pixels of `source`. All lanes of a warp call f together; a lane without a pixel
/// passes NaN.
template <class F>
__device__ void for_each_in(ClipSource source, const F& f) {
  const bool all = source == ClipSource::image;
  const float* const list = all ? work().pixels : source == ClipSource::tail ? tail_list() : window_list();
  const std::int64_t count = all                          ? work().count
                             : source == ClipSource::tail ? shared().tail_listed
                                                          : shared().window_listed;
  const std::int64_t step = all ? std::int64_t{gridDim.x} * clip_tile : clip_tile;
  for (std::int64_t begin = all ? std::int64_t{blockIdx.x} * clip_tile : 0; begin < count; begin += step) {
    for_each_of(list + begin, count - begin < clip_tile ? count - begin : clip_tile, f);
  }
}

__device__ inline int tail_bin(float x, float centre, float per_scale) {
  const float scales = fabsf(x - centre) * per_scale;
  // The bin number is the float's exponent and the first six bits of its fraction, counted from the value 1.0.
  constexpr int first = 127 * bins_per_octave;
  const int bin = min(max((__float_as_int(scales) >> 17) - first, 0), side_bins - 1);
  return x < centre ? side_bins - 1 - bin : side_bins + bin;
}

/// Returns the cell of x in the window. Each bin is divided into `parts` cells, a power of two; there are `per_unit`
/// cells per unit of pixel value. The result never decreases as x increases. With parts = 1, the cell is the bin.
__device__ inline int window_bin(float x, float lower, float per_unit, int parts) {
  return min(max(static_cast<int>((x - lower) * per_unit), 0), parts * window_bins - 1);
}

/// Returns the bin of the window that contains the pixel of rank `rank`, which need not be an integer: the last bin
/// with at most `rank` pixels before it. All lanes of a warp must call this function together.
template <class Rank>
__device__ int window_bin_of_rank(Rank rank) {
  const unsigned int* const begin = shared().window_begin;
  int bin = 0;
  for (int step = window_bins / warp_size; step > 0; step /= warp_size) {
    bin += step * (__popc(__ballot_sync(all_lanes, begin[bin + step * lane()] <= rank)) - 1);
  }
  static_assert(window_bins == 4 * warp_size * warp_size);
  return bin + __popc(__ballot_sync(all_lanes, lane() < 4 && begin[bin + min(lane(), 3)] <= rank)) - 1;
}

/// Sums and counts over the pixels that a thread has read.
struct PixelsSeen {
  ExactSum first, second;  ///< sums over the core of deviations and of squared deviations (SumGrid)
  /// numbers of pixels in the core, and of pixels above the window's lower end
  unsigned int in_core = 0, above_window = 0;
};

/// A column of shared memory in which a thread stores pixels until its warp appends them to the lists. Pixels of the
/// window fill the column from the bottom, pixels of the tail from the top. Members are addresses and not indices,
/// since the compiler would compute the address from an index for every store.
class WaitingColumn {
 public:
  __device__ WaitingColumn() { clear(); }

  __device__ void push_tail(float x) {
    top_ -= row_bytes;
    store(top_, x);
  }
  __device__ void push_window(float x) {
    store(bottom_, x);
    bottom_ += row_bytes;
  }
  __device__ int in_tail() const { return static_cast<int>(end() - top_) / row_bytes; }
  __device__ int in_window() const { return static_cast<int>(bottom_ - begin()) / row_bytes; }
  /// Whether the column may be too short for `pixels` more pixels.
  __device__ bool is_full(unsigned int pixels) const { return top_ - bottom_ < pixels * row_bytes; }
  __device__ void clear() {
    top_ = end();
    bottom_ = begin();
  }

 private:
  static constexpr int row_bytes = clip_threads * sizeof(float);
  __device__ static unsigned int begin() {
    return static_cast<unsigned int>(__cvta_generic_to_shared(&shared().waiting.pixel[0][threadIdx.x]));
  }
  __device__ static unsigned int end() { return begin() + WaitingPixels::room * row_bytes; }
  __device__ static void store(unsigned int address, float x) {
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(address), "f"(x) : "memory");
  }

  unsigned int bottom_, top_;
};

/// Reads all pixels once, with all blocks: sums the pixels of the core, and lists the pixels of tail and window. A warp
/// that has finished takes the next unread chunk of the image, since warps differ in speed.
class ClipLook {
 public:
  __device__ ClipLook()
      : core_(shared().guess.core), window_(shared().guess.window), grid_(shared().grid), round_(grid_.scale) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    if (state().heavy) window_ = {infinity, infinity};
    // A pixel that is in both tail and window is stored twice.
    most_pushed_ = core_.contains(window_) || state().heavy ? thread_pixels : 2 * thread_pixels;
  }

  __device__ void run() {
    const float* const end = work().pixels + work().count;
    const std::int64_t warps = std::int64_t{gridDim.x} * clip_warps;
    const std::int64_t warp = blockIdx.x * clip_warps + threadIdx.x / warp_size;
    const float* at = work().pixels + warp * work().first_tiles * warp_tile;
    const float* const chunks = work().pixels + warps * work().first_tiles * warp_tile;
    int tiles = work().first_tiles;
    while (at < end) {
      // taken before the current chunk is read, so that the warp need not wait for the atomic operation
      const unsigned int next = take_chunk();
      for (int tile = 0; tile < tiles && at < end; ++tile, at += warp_tile) take_tile(at, end);
      tiles = work().chunk_tiles;
      at = chunks + std::int64_t{__shfl_sync(all_lanes, next, 0)} * tiles * warp_tile;
    }
    list_waiting();
  }

  __device__ const PixelsSeen& seen() const { return seen_; }

 private:
  static constexpr int warp_tile = warp_size * thread_pixels;

  /// Reads one tile: sums the pixels in the core, and stores other pixels in the threads' columns. One warp calls this
  /// function.
  __device__ void take_tile(const float* at, const float* end) {
    float4 loaded[loads_per_thread];
    load_tile(at, end - at, loaded);
    if (work().bright_quads != nullptr) tell_bright(at, loaded);
    look_at(loaded);
    if (__any_sync(all_lanes, column_.is_full(most_pushed_))) list_waiting();
  }

  /// Takes the next unread chunk of the image, and returns its number in the first lane; other lanes get 0.
  __device__ static unsigned int take_chunk() { return lane() == 0 ? atomicAdd(&state().chunks_taken, 1u) : 0; }

  /// Stores for each quad (four consecutive pixels) of the tile whether one of its pixels is above the core. The core
  /// is an interval that should be contained in every clipped set (stages/sky/sky_sample.hpp).
  __device__ void tell_bright(const float* at, const float4 (&loaded)[loads_per_thread]) const {
    static_assert(loads_per_thread == 4);
    const auto tell = [limit = core_.upper](const float4& quad) {
      const bool any = (quad.x > limit) | (quad.y > limit) | (quad.z > limit) | (quad.w > limit);
      return __ballot_sync(all_lanes, any);
    };
    const uint4 quads = {tell(loaded[0]), tell(loaded[1]), tell(loaded[2]), tell(loaded[3])};
    if (lane() == 0) work().bright_quads[(at - work().pixels) / warp_tile] = quads;
  }

  __device__ void look_at(const float4 (&loaded)[loads_per_thread]) {
    Count first_sum = 0;  // modulo 2^64: the sum of the rounding constants overflows, but is subtracted below
    Count second_sum = 0;
    const auto nothing = static_cast<float>(grid_.centre);  // a value that adds 0 to the sums
#pragma unroll
    for (int part = 0; part < loads_per_thread; ++part) {
      const float pixels[4] = {loaded[part].x, loaded[part].y, loaded[part].z, loaded[part].w};
#pragma unroll
      for (const float x : pixels) {
        const bool inside = x > core_.lower && x < core_.upper;
        const double deviation = static_cast<double>(inside ? x : nothing) - grid_.centre;
        first_sum += static_cast<Count>(bits_of(deviation + round_.first));
        second_sum += static_cast<Count>(bits_of(deviation * deviation + round_.second));
        const bool above = x > window_.lower;
        seen_.in_core += inside;
        seen_.above_window += above;
        if (x == x && !inside) column_.push_tail(x);
        if (above && x < window_.upper) column_.push_window(x);
      }
    }
    seen_.first.add(static_cast<std::int64_t>(first_sum - thread_pixels * static_cast<Count>(bits_of(round_.first))));
    seen_.second.add(
        static_cast<std::int64_t>(second_sum - thread_pixels * static_cast<Count>(bits_of(round_.second))));
  }

  /// Loads the tile at `pixels`. Pixels beyond `count` are loaded as masked pixels (NaN).
  __device__ static void load_tile(const float* pixels, std::int64_t count, float4 (&loaded)[loads_per_thread]) {
    const float masked = std::numeric_limits<float>::quiet_NaN();
    int first = lane() * 4;
#pragma unroll
    for (int part = 0; part < loads_per_thread; ++part, first += warp_size * 4) {
      if (count >= warp_tile) {
        loaded[part] = *reinterpret_cast<const float4*>(pixels + first);
      } else {
        loaded[part] = {first < count ? pixels[first] : masked, first + 1 < count ? pixels[first + 1] : masked,
                        first + 2 < count ? pixels[first + 2] : masked, first + 3 < count ? pixels[first + 3] : masked};
      }
    }
  }

  /// Appends the pixels in a warp's columns to this block's lists. If a list is full, the pixels are counted but not
  /// stored.
  __device__ void list_waiting() {
    ClipShared& s = shared();
    const unsigned int mine = static_cast<unsigned int>(column_.in_tail()) | column_.in_window() << 16;
    const unsigned int running = running_sum_of_warp(mine);
    const unsigned int total = __shfl_sync(all_lanes, running, warp_size - 1);
    const unsigned int before = running - mine;
    unsigned int at = 0;
    if (lane() < 2) at = atomicAdd(&s.listed[lane()], lane() == 0 ? total & 0xffffu : total >> 16);
    __syncwarp();
    append(tail_list(), work().tail_room, __shfl_sync(all_lanes, at, 0), before & 0xffffu, total & 0xffffu,
           [](int k) { return WaitingPixels::room - 1 - k; });
    append(window_list(), work().window_room, __shfl_sync(all_lanes, at, 1), before >> 16, total >> 16,
           [](int k) { return k; });
    __syncwarp();
    column_.clear();
  }

  /// Appends the `total` pixels in the warp's columns to `list`, one pixel per lane at a time. `before` is the number
  /// of pixels in earlier columns. Pixel `number` is in the last column for which `before` is at most `number`.
  template <class RowOf>
  __device__ static void append(float* list, std::int64_t room, unsigned int at, unsigned int before,
                                unsigned int total, const RowOf& row_of) {
    const int first_column = static_cast<int>(threadIdx.x) - lane();
    for (unsigned int begin = 0; begin < total; begin += warp_size) {
      const unsigned int number = begin + static_cast<unsigned int>(lane());
      int owner = 0;
#pragma unroll
      for (int step = warp_size / 2; step > 0; step /= 2) {
        if (__shfl_sync(all_lanes, before, owner + step) <= number) owner += step;
      }
      const auto k = static_cast<int>(number - __shfl_sync(all_lanes, before, owner));
      if (number < total && at + number < room)
        list[at + number] = shared().waiting.pixel[row_of(k)][first_column + owner];
    }
  }

  PixelsSeen seen_;
  WaitingColumn column_;
  Interval core_, window_;
  SumGrid grid_;
  RoundingConstants round_;
  unsigned int most_pushed_;
};

__device__ inline void start_look() {
  ClipShared& s = shared();
  sync_block();
  if (threadIdx.x == 0) {
    s.grid = state().grid;
    s.per_scale = static_cast<float>(1 / s.grid.scale);
    s.near = s.grid.near_pixels();
    s.guess = state().guess;
    s.guess.core = s.guess.core.within(s.near);
    s.window_per = window_bins / (s.guess.window.upper - s.guess.window.lower);
    s.listed[0] = s.listed[1] = 0;
    clear_extremes(s.low_key, s.high_key);
  }
  clear(s.block, clip_threads);
  sync_block();
}

/// Stores the core's upper end, above which a pixel is bright. If the image is read again with another core, all quads
/// are marked anew, so limit and marks stay consistent.
__device__ inline void tell_limit() {
  if (blockIdx.x == 0 && threadIdx.x == 0 && work().bright_limit != nullptr)
    *work().bright_limit = shared().guess.core.upper;
}

/// Sets the numbers of usable listed pixels of this block: 0 if the list was too short for all pixels.
__device__ inline void know_listed() {
  ClipShared& s = shared();
  if (threadIdx.x == 0) {
    s.tail_listed = s.listed[0] <= work().tail_room ? s.listed[0] : 0;
    s.window_listed = s.listed[1] <= work().window_room ? s.listed[1] : 0;
  }
  sync_block();
}

/// Counts the listed pixels of this block by bins of the tail and of the window. Also sums the tail and finds its
/// smallest and largest pixel.
__device__ inline void count_lists() {
  ClipShared& s = shared();
  for (int bin = static_cast<int>(threadIdx.x); bin < tail_bins + window_bins; bin += clip_threads) s.bins[bin] = 0;
  know_listed();
  const auto centre = static_cast<float>(s.grid.centre);
  const float per_scale = s.per_scale;
  Extremes extremes;
  ThreadSums sums(s.grid);
  for_each_of(tail_list(), s.tail_listed, [&](float x) {
    if (x == x) atomicAdd(&s.bins[tail_bin(x, centre, per_scale)], 1u);
    sums.add(x == x, x);
    add_extreme(extremes, x);
  });
  const float lower = s.guess.window.lower;
  const float per_unit = s.window_per;
  for_each_of(window_list(), s.window_listed, [&](float x) {
    if (x == x) atomicAdd(&s.bins[tail_bins + window_bin(x, lower, per_unit, 1)], 1u);
  });
  bring_extremes(s.low_key, s.high_key, extremes);
  bring_sums(state().tail, sums, 0);  // synchronises the block
}

/// Adds the results of this block to the results of all blocks in the state.
__device__ inline void bring_look(const PixelsSeen& seen) {
  ClipShared& s = shared();
  ClipState& all = state();
  sync_block();  // all warps have listed their waiting pixels
  count_lists();
  const std::int64_t mine[6] = {seen.in_core,    seen.above_window, seen.first.low,
                                seen.first.high, seen.second.low,   seen.second.high};
  const std::int64_t sum = sum_over_block(mine);
  std::int64_t* const to[6] = {&all.core.count,      &all.above_window,    &all.core.first.low,
                               &all.core.first.high, &all.core.second.low, &all.core.second.high};
  if (threadIdx.x < 6) add_atomic(*to[threadIdx.x], sum);
  for (int bin = static_cast<int>(threadIdx.x); bin < tail_bins + window_bins; bin += clip_threads) {
    if (s.bins[bin] != 0) atomicAdd(&all.bins[bin], s.bins[bin]);
  }
  if (threadIdx.x == 0) {
    add_atomic(all.in_tail, std::int64_t{s.listed[0]});
    atomicMin(&all.tail_low_key, s.low_key);
    atomicMax(&all.tail_high_key, s.high_key);
    if (s.listed[0] > work().tail_room) atomicAdd(&all.tail_overflow, 1u);
    if (s.listed[1] > work().window_room || all.heavy) atomicAdd(&all.window_overflow, 1u);
  }
}

/// Reads all pixels once. The results are complete after the next barrier of all blocks.
__device__ inline void look_at_all() {
  start_look();
  tell_limit();
  ClipLook look;
  look.run();
  bring_look(look.seen());
}

}  // namespace srcextract
