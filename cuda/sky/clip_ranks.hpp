#pragma once

#include "cuda/sky/clip_blocks.hpp"

namespace srcextract {

/// Finds pixels by their rank; used by the leader, the first warp of the first block. Pixels with ranks close to the
/// last requested rank are kept in shared memory. Other ranks are found in the window's cells. If the cells do not
/// suffice, the leader makes all blocks read pixels.
///
/// Rule for the clip's kernel: a function that is not in line (__noinline__) ends with a barrier, __syncwarp() or one
/// of more threads; that of the function that it calls last will do. Without it medians were wrong. A fault of ptxas is
/// suspected, but no minimal case was found.
class ClipRanks {
 protected:
  /// Makes all blocks execute a command, and waits for the results. The caller must first clear those results to which
  /// the command adds.
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

  /// Returns the pixel of rank `rank` among all unmasked pixels; the smallest has rank 0. Returns +0 for -0.
  __device__ static float value(std::int64_t rank) {
    const ClipShared& s = shared();
    if (rank < s.known_first || rank >= s.known_first + s.known_count) find(rank);
    auto place = s.known_equal ? 0 : static_cast<int>(rank - s.known_first);
    // NaN marks an empty place, whose pixel equals the pixel at the nearest earlier filled place.
    while (place > 0 && s.sorted[place] != s.sorted[place]) --place;
    return s.sorted[place] + 0.0F;
  }

 private:
  /// Finds the pixel of a rank, and keeps the pixel and others of neighbouring ranks in shared memory.
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

  /// Records that all pixels with ranks from `first` to first + count - 1 have the same value.
  __device__ static void know_equal(float value, std::int64_t first, std::int64_t count) {
    __syncwarp();
    if (lane() == 0) shared().sorted[0] = value;
    set_known(true, first, count);
  }

  /// Sorts `count` pixels, whose ranks begin at `first`, into `sorted`: each pixel's place is the number of smaller
  /// pixels. Equal pixels share one place, the first; their other places hold NaN.
  __device__ static void know_all(const float* values, int count, std::int64_t first) {
    ClipShared& s = shared();
    // no pixel is greater than NaN, so NaN is not counted as a smaller pixel
    constexpr float nothing = std::numeric_limits<float>::quiet_NaN();
    __syncwarp();
    auto* const unsorted = reinterpret_cast<float*>(s.unsorted);
#pragma unroll 1
    for (int i = lane(); i < (count + 3) / 4 * 4; i += warp_size) {
      unsorted[i] = i < count ? values[i] : nothing;
      s.sorted[i] = nothing;
    }
    __syncwarp();
#pragma unroll 1
    for (int i = lane(); i < count; i += warp_size) {
      const float mine = unsorted[i];
      int place = 0;
#pragma unroll 2
      for (int k = 0; k < count; k += 4) {
        const float4 other = s.unsorted[k / 4];
        place +=
            (other.x < mine ? 1 : 0) + (other.y < mine ? 1 : 0) + (other.z < mine ? 1 : 0) + (other.w < mine ? 1 : 0);
      }
      atomicExch(&s.sorted[place], mine);  // equal pixels store the same value at the same place
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

  /// Finds which of `things` bins or cells contains the pixel of rank `rank`; count_of(i) is the number of pixels in
  /// bin or cell i. Subtracts the number of pixels in earlier bins from `rank`, and sets `here` to the number of pixels
  /// in the returned bin.
  template <class T, class F>
  __device__ static int search_counts(int things, const F& count_of, T& rank, T& here) {
    const auto load = [&](int thing) -> T { return thing < things ? count_of(thing) : 0; };
    T next = load(lane());
#pragma unroll 1
    for (int first = 0;; first += warp_size) {
      const T mine = next;
      next = load(first + warp_size + lane());  // loaded one iteration ahead
      const T running = running_sum_of_warp(mine);
      const unsigned int beyond = __ballot_sync(all_lanes, rank < running);
      const bool last = beyond != 0 || first + warp_size >= things;
      const int found = beyond != 0 ? __ffs(static_cast<int>(beyond)) - 1 : warp_size - 1;
      rank -= __shfl_sync(all_lanes, last ? running - mine : running, found);
      if (!last) continue;
      here = __shfl_sync(all_lanes, mine, found);
      return first + found;
    }
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

  /// Finds the pixel of rank `rank` in `source` by a radix search: four passes over the pixels, one for each byte of
  /// their keys. Needed if few values are so frequent that a cell cannot hold their pixels, or if the window's lists do
  /// not serve. `before` is the number of pixels below `source`, 0 for the image.
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
