#pragma once

#include <cstdint>

#include "cuda/device/warp.hpp"
#include "stages/photometry/aperture_box.hpp"
#include "stages/photometry/pixel_keys.hpp"

namespace srcextract {

/// Sums bins over all lanes of a warp, and stores the totals in the first `Bins` elements. The bins of the lanes are
/// interleaved. Each lane begins with another lane's bins, so that the lanes use different memory banks.
template <int Bins, class T>
__device__ void add_lanes(T* bins) {
  constexpr int each = Bins / warp_size;
  static_assert(Bins % warp_size == 0);
  T sums[each] = {};
  __syncwarp();
  for (int i = 0; i < each; ++i)
    for (int k = 0; k < warp_size; ++k)
      sums[i] += bins[(i * warp_size + lane()) * warp_size + (lane() + k) % warp_size];
  __syncwarp();
  for (int i = 0; i < each; ++i) bins[i * warp_size + lane()] = sums[i];
  __syncwarp();
}

/// Answers the same queries about pixel values as HostKeys, with a warp. All lanes must call every function together,
/// and all get the same result. Stores up to `room` keys of pixels; if there are more, every query reads the pixels
/// again.
template <class Read>
class WarpKeys {
 public:
  static constexpr int room = 2048;

  /// Number of 32-bit words of memory that a warp needs for its queries.
  static constexpr int words = room + warp_size;

  __device__ WarpKeys(const ApertureBox& box, const Read& read, std::uint32_t* memory)
      : box_(box), read_(read), memory_(memory) {
    all_kept_ = keep(KeyRange::all()) <= room;
  }

  __device__ std::int64_t count(const KeyRange& range) const {
    std::int64_t own = 0;
    visit(range, [&](std::uint32_t) { ++own; });
    return sum_of_warp(own);
  }

  __device__ KeyRange extremes(const KeyRange& range) const {
    KeyRange own{range.high, range.low};
    visit(range, [&](std::uint32_t key) {
      own.low = key < own.low ? key : own.low;
      own.high = key > own.high ? key : own.high;
    });
    return {__reduce_min_sync(all_lanes, own.low), __reduce_max_sync(all_lanes, own.high)};
  }

  __device__ KeyPair pair(const KeyRange& range, std::int64_t rank) const {
    if (all_kept_) return pair_of_kept(range, static_cast<std::uint32_t>(rank));
    const Class one = class_of(range, rank);
    if (one.count <= room) keep(one.range);
    KeyPair result{one.range.low, one.range.low};
    if (one.range.low < one.range.high) result = pair_of_kept(one.range, static_cast<std::uint32_t>(one.rank));
    // the key with the next rank, if any, is above this range
    if (one.rank + 1 == one.count && result.lower < range.high) {
      const KeyRange above{result.lower + 1, range.high};
      if (count(above) > 0) result.upper = extremes(above).low;
    }
    return result;
  }

  template <int N, class F>
  __device__ IntegerSums<N> sum(const KeyRange& range, const F& f) const {
    IntegerSums<N> own{};
    visit(range, [&](std::uint32_t key) {
      const IntegerSums<N> one = f(key);
      for (int k = 0; k < N; ++k) own.of[k] += one.of[k];
    });
    for (int k = 0; k < N; ++k) own.of[k] = sum_of_warp(own.of[k]);
    return own;
  }

 private:
  /// A range of keys that contains the wanted key, the rank of the wanted key among the keys in the range, and the
  /// number of these keys.
  struct Class {
    KeyRange range;
    std::int64_t rank, count;
  };

  /// Calls f(wanted, key) in every lane, for one pixel of the box after another. The lanes handle consecutive pixels of
  /// the box, whatever its width.
  template <class F>
  __device__ void for_each_pixel(const F& f) const {
    const std::int32_t columns = box_.x_end - box_.x_begin, rows = box_.y_end - box_.y_begin;
    if (columns <= 0 || rows <= 0) return;
    const std::int32_t rows_on = warp_size / columns, columns_on = warp_size % columns;
    std::int32_t y = box_.y_begin + lane() / columns, x = box_.x_begin + lane() % columns;
    const std::int64_t turns = (static_cast<std::int64_t>(columns) * rows + warp_size - 1) / warp_size;
    for (std::int64_t turn = 0; turn < turns; ++turn) {
      KeyBlock<1> pixel;
      pixel.any = 0;
      if (y < box_.y_end) read_(x, y, 1, pixel);
      f(pixel.any != 0 && pixel.wanted[0] != 0, pixel.key[0]);
      y += rows_on;
      x += columns_on;
      if (x >= box_.x_end) {
        x -= columns;
        ++y;
      }
    }
  }

  /// Stores the keys in a range, at most `room`. Returns their number, which may be larger than `room`.
  __device__ std::int64_t keep(const KeyRange& range) const {
    std::int64_t total = 0;
    __syncwarp();
    for_each_pixel([&](bool wanted, std::uint32_t key) {
      const bool own = wanted && range.holds(key);
      const unsigned int lanes = __ballot_sync(all_lanes, own);
      const std::int64_t place = total + __popc(lanes & ((1U << lane()) - 1));
      if (own && place < room) memory_[place] = key;
      total += __popc(lanes);
    });
    __syncwarp();
    kept_ = static_cast<int>(total < room ? total : room);
    return total;
  }

  template <class F>
  __device__ void for_each_kept(const KeyRange& range, const F& f) const {
    for (int i = lane(); i < kept_; i += warp_size) {
      const std::uint32_t key = memory_[i];
      if (range.holds(key)) f(key);
    }
  }

  /// Calls f(key) once for every key in a range, in the lane that holds the key.
  template <class F>
  __device__ void visit(const KeyRange& range, const F& f) const {
    if (all_kept_) {
      for_each_kept(range, f);
    } else {
      for_each_pixel([&](bool wanted, std::uint32_t key) {
        if (wanted && range.holds(key)) f(key);
      });
    }
  }

  __device__ std::uint32_t count_kept(const KeyRange& range) const {
    std::uint32_t own = 0;
    for_each_kept(range, [&](std::uint32_t) { ++own; });
    return __reduce_add_sync(all_lanes, own);
  }

  /// Returns the keys with ranks `rank` and rank + 1 in a range all of whose keys are stored. Without a key of rank
  /// rank + 1, returns the first key twice. Halves the range until at most 32 keys remain, one per lane.
  __device__ KeyPair pair_of_kept(KeyRange range, std::uint32_t rank) const {
    const std::uint32_t last = range.high;
    auto most = static_cast<std::uint32_t>(kept_);  // upper limit of the number of keys in the range
    while (most > warp_size && range.low < range.high) {
      const std::uint32_t middle = range.low + (range.high - range.low) / 2, below = count_kept({range.low, middle});
      if (rank < below) {
        range.high = middle;
        most = below;
      } else {
        range.low = middle + 1;
        rank -= below;
        most -= below;
      }
    }
    KeyPair result{range.low, range.low};
    if (range.low == range.high) {
      if (rank + 1 < count_kept(range)) return result;
    } else {
      const FewKeys few = line_up(range);
      result = {few.of_rank(rank), few.of_rank(rank + 1)};
      if (rank + 1 < few.count) return result;
    }
    result.upper = range.high < last ? least_kept({range.high + 1, last}, result.lower) : result.lower;
    return result;
  }

  /// The few keys of a range, unsorted, one in each of the first `count` lanes, and the key's rank among them.
  struct FewKeys {
    std::uint32_t key, rank, count;

    /// Returns the key with rank `wanted`; 0 if there is no such key.
    __device__ std::uint32_t of_rank(std::uint32_t wanted) const {
      const unsigned int lanes = __ballot_sync(all_lanes, lane() < static_cast<int>(count) && rank == wanted);
      return lanes == 0 ? 0 : __shfl_sync(all_lanes, key, __ffs(static_cast<int>(lanes)) - 1);
    }
  };

  /// Distributes the keys in a range to the lanes, one key per lane. The range must contain at most 32 keys.
  __device__ FewKeys line_up(const KeyRange& range) const {
    std::uint32_t* const few = memory_ + room;
    FewKeys own{0, 0, 0};
    __syncwarp();
    for (int i = 0; i < kept_; i += warp_size) {
      const std::uint32_t key = i + lane() < kept_ ? memory_[i + lane()] : 0;
      const unsigned int lanes = __ballot_sync(all_lanes, i + lane() < kept_ && range.holds(key));
      if ((lanes >> lane() & 1U) != 0) few[own.count + __popc(lanes & ((1U << lane()) - 1))] = key;
      own.count += __popc(lanes);
    }
    __syncwarp();
    if (lane() < static_cast<int>(own.count)) own.key = few[lane()];
    for (int k = 0; k < static_cast<int>(own.count); ++k)
      own.rank += few[k] < own.key || (few[k] == own.key && k < lane()) ? 1 : 0;
    return own;
  }

  /// Returns the smallest stored key in a range; `otherwise` if the range contains no stored key.
  __device__ std::uint32_t least_kept(const KeyRange& range, std::uint32_t otherwise) const {
    std::uint32_t least = range.high;
    bool any = false;
    for_each_kept(range, [&](std::uint32_t key) {
      any = true;
      least = key < least ? key : least;
    });
    least = __reduce_min_sync(all_lanes, least);
    return __any_sync(all_lanes, any) != 0 ? least : otherwise;
  }

  /// Narrows the range around the key with this rank, by counting in bins, until all keys in the range can be stored or
  /// are equal.
  __device__ Class class_of(const KeyRange& range, std::int64_t rank) const {
    Class one{range, rank, room + 1};
    while (one.count > room && one.range.low < one.range.high) {
      int shift = 0;
      while ((one.range.high - one.range.low) >> shift >= classes) ++shift;
      count_classes(one.range, shift);
      std::uint32_t bin = 0;
      for (; one.rank >= memory_[bin]; ++bin) one.rank -= memory_[bin];
      one.count = memory_[bin];
      one.range.low += bin << shift;
      const std::uint32_t size = std::uint32_t{1} << shift;
      if (one.range.high - one.range.low >= size) one.range.high = one.range.low + (size - 1);
    }
    return one;
  }

  /// Counts the keys in a range, in bins of 2^shift key values. Every lane counts in its own bins, interleaved with
  /// those of other lanes; then the totals are stored at the beginning of the memory.
  __device__ void count_classes(const KeyRange& range, int shift) const {
    __syncwarp();
    for (int bin = 0; bin < classes; ++bin) memory_[bin * warp_size + lane()] = 0;
    for_each_pixel([&](bool wanted, std::uint32_t key) {
      if (wanted && range.holds(key)) ++memory_[((key - range.low) >> shift) * warp_size + lane()];
    });
    add_lanes<classes>(memory_);
  }

  static constexpr int classes = room / warp_size;

  const ApertureBox box_;
  const Read& read_;
  std::uint32_t* const memory_;
  mutable int kept_ = 0;
  bool all_kept_ = false;
};

}  // namespace srcextract
