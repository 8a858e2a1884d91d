#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "stages/core/buffer.hpp"
#include "stages/sky/deviation_sums.hpp"
#include "stages/sky/pixel_loops.hpp"
#include "stages/sky/sky_sample.hpp"
#include "stages/sky/tail_bins.hpp"

namespace srcextract {

/// Number of pixels of a piece, and numbers of pixels that a piece can keep for the clip. The tail (pixels outside the
/// core, an interval that is inside every clipped set) gets 3/16 of a piece, which suffices for crowded images. The
/// window (pixels near the median) gets 5/32. If kept pixels do not fit, the pixels of the piece are read again.
inline constexpr std::int64_t piece_pixels = std::int64_t{1} << 18;
inline constexpr std::int64_t tail_pixels = piece_pixels / 16 * 3;
inline constexpr std::int64_t window_pixels = piece_pixels / 32 * 5;

/// A list of some pixels of a piece, in memory that the caller provides. If the pixels do not fit, full() is true and
/// the list is not usable.
class KeptPixels {
 public:
  void restart(std::span<float> room) {
    room_ = room;
    size_ = 0;
    full_ = false;
  }
  /// Returns the address at which to write up to `most` more pixels; `elsewhere` if they may not fit.
  float* begin_append(int most, float* elsewhere) {
    full_ = full_ || size_ + static_cast<std::size_t>(most) > room_.size();
    return full_ ? elsewhere : room_.data() + size_;
  }
  void end_append(const float* end) {
    if (!full_) size_ = static_cast<std::size_t>(end - room_.data());
  }
  /// Removes the pixels outside the interval, and calls f(pointer, count) for chunks of the remaining pixels.
  template <class F>
  void keep_only(const Interval& interval, const F& f) {
    std::size_t kept = 0;
    for_each_chunk(pixels(), [&](const float* chunk, int count) {
      float* const out = room_.data() + kept;
      const int inside = copy_inside(chunk, count, interval, out);
      f(out, inside);
      kept += static_cast<std::size_t>(inside);
    });
    size_ = kept;
  }
  bool full() const { return full_; }
  std::span<float> pixels() const { return room_.first(size_); }

 private:
  std::span<float> room_;
  std::size_t size_ = 0;
  bool full_ = false;
};

/// A piece (consecutive pixels) of the image, with the two sets of its pixels that one pass keeps: tail and window.
class ClipPiece {
 public:
  ClipPiece(std::span<const float> pixels, const Cpu& where)
      : pixels_(pixels), room_(tail_pixels + window_pixels, where) {}

  const PixelCounts& counts() const { return counts_; }
  std::span<const float> pixels() const { return pixels_; }
  /// The pixels in the window; all pixels of the piece if the window's pixels did not fit.
  std::span<const float> window() const { return window_.full() ? pixels_ : window_.pixels(); }

  void look(const ClipGuess& guess, const SumGrid& grid, const Interval& near) {
    core_ = {};
    counts_ = {};
    core_interval_ = guess.core;
    tail_.restart(tail_room());
    window_.restart({room_.data() + tail_pixels, static_cast<std::size_t>(window_pixels)});
    dropped_below_ = below_ = 0;
    const FirstLook first{guess.core, guess.window, grid, near};
    float elsewhere[chunk_pixels];
    for_each_chunk(pixels_, [&](const float* chunk, int count) {
      float* tail = tail_.begin_append(count, elsewhere);
      float* window = window_.begin_append(count, elsewhere);
      look_at(chunk, count, first, core_, counts_, tail, window);
      tail_.end_append(tail);
      window_.end_append(window);
    });
    core_.count = counts_.unmasked - static_cast<std::int64_t>(tail_.pixels().size());
  }

  /// Sums over the pixels in an interval that contains the core. `last` is the interval of the previous call since
  /// look(), if any, and must contain `interval`. Tail pixels outside `last` are removed from the tail.
  PixelSums sum(const Interval& interval, const std::optional<Interval>& last, const SumGrid& grid,
                const Interval& near) {
    PixelSums sums;
    const auto add_all = [&](const float* chunk, int count) { add_inside(chunk, count, interval, grid, near, sums); };
    if (tail_.full()) {
      for_each_chunk(pixels_, add_all);
      if (last) keep_again(interval, *last, sums);
      return sums;
    }
    if (last) {
      dropped_below_ += below_;
      tail_.keep_only(*last, add_all);
    } else {
      for_each_chunk(tail_.pixels(), add_all);
    }
    below_ = sums.below;
    sums.below += dropped_below_;
    add(sums, core_);
    return sums;
  }

  bool has_tail() const { return !tail_.full(); }
  bool has_window() const { return !window_.full(); }
  std::size_t tail_size() const { return tail_.pixels().size(); }
  /// The sums over the pixels that are not in the tail. `below` counts all removed pixels below the tail's pixels.
  PixelSums sums_without_tail() const {
    PixelSums sums = core_;
    sums.below = dropped_below_;
    return sums;
  }
  /// Reorders the tail's pixels by bins.
  BinnedPixels bin_tail(const TailBins& bins, const SumGrid& grid, BinSums& sums) {
    return bin_pixels(tail_.pixels(), bins, grid, sums);
  }

  /// The extremes of the tail's pixels in an interval. If the tail did not fit, the extremes of all pixels in the
  /// interval.
  Extremes tail_extremes(const Interval& interval) const {
    return extremes(tail_.full() ? pixels_ : tail_.pixels(), interval);
  }
  static Extremes extremes(std::span<const float> pixels, const Interval& interval) {
    Extremes extremes;
    for_each_chunk(pixels, [&](const float* chunk, int count) { widen(chunk, count, interval, extremes); });
    return extremes;
  }

 private:
  std::span<float> tail_room() { return {room_.data(), static_cast<std::size_t>(tail_pixels)}; }

  /// Tries again to keep the tail after its first list overflowed: only the pixels inside `last`, the interval of
  /// the previous call of sum(), may be few enough. `sums` must be the sums over `interval`, which `last` contains.
  void keep_again(const Interval& interval, const Interval& last, const PixelSums& sums) {
    tail_.restart(tail_room());
    float elsewhere[chunk_pixels];
    for_each_chunk(pixels_, [&](const float* chunk, int count) {
      float* const out = tail_.begin_append(count, elsewhere);
      tail_.end_append(out + copy_inside(out, copy_outside(chunk, count, core_interval_, out), last, out));
    });
    if (tail_.full()) return;
    const auto kept = tail_.pixels();
    core_.count = sums.count - std::count_if(kept.begin(), kept.end(), [&](float x) { return interval.contains(x); });
    below_ = std::count_if(kept.begin(), kept.end(), [&](float x) { return x <= interval.lower; });
    dropped_below_ = sums.below - below_;
  }

  std::span<const float> pixels_;
  Buffer<float, Cpu> room_;
  Interval core_interval_{};
  PixelSums core_;
  PixelCounts counts_;
  std::int64_t below_ = 0;          ///< tail pixels at or below the lower end of the last interval
  std::int64_t dropped_below_ = 0;  ///< pixels removed from the tail that are below the last interval
  KeptPixels tail_;
  KeptPixels window_;
};

}  // namespace srcextract
