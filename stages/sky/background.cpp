#include "stages/sky/background.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "stages/core/error.hpp"
#include "stages/core/parallel.hpp"
#include "stages/math/radix_sort.hpp"
#include "stages/sky/clip.hpp"
#include "stages/sky/pixel_loops.hpp"
#include "stages/sky/rank_search.hpp"
#include "stages/sky/sky_sample.hpp"

namespace srcextract {

namespace {

/// The image is worked on in pieces of this many pixels, each with room for so many that are kept for the clip: of the
/// tail as many as a crowded or a heavy-tailed image has, of the window as many as are worth keeping. Where more would
/// have to be kept, the piece is read again instead.
constexpr std::int64_t piece_pixels = std::int64_t{1} << 18;
constexpr std::int64_t tail_pixels = piece_pixels / 16 * 3;
constexpr std::int64_t window_pixels = piece_pixels / 32 * 5;

std::vector<float> sorted_sample(const Image<float, Cpu>& image) {
  const std::int64_t count = image.shape.count();
  const int samples = sample_size(count);
  std::vector<float> sample;
  sample.reserve(static_cast<std::size_t>(samples));
  for (int i = 0; i < samples; ++i) {
    // Of a small image it is every pixel: no need to work out which.
    const float pixel = image.pixels[samples == count ? i : sample_position(i, samples, count)];
    if (pixel == pixel) sample.push_back(pixel);
  }
  radix_sort(sample);
  return sample;
}

ClipGuess guess_of(const std::vector<float>& sample, const SumGrid& grid, const BackgroundConfig& config) {
  std::vector<double> sums{0};
  std::vector<double> squares{0};
  sums.reserve(sample.size() + 1);
  squares.reserve(sample.size() + 1);
  for (const float pixel : sample) {
    const double deviation = grid.deviation(pixel);
    sums.push_back(sums.back() + deviation);
    squares.push_back(squares.back() + deviation * deviation);
  }
  const int size = static_cast<int>(sample.size());
  return guess_clip(sample.data(), sums.data(), squares.data(), size, rank_margin(size), grid, config.kappa,
                    config.max_iterations);
}

/// Calls f(chunk, its length) for all pixels.
template <class F>
void for_each_chunk(std::span<const float> pixels, const F& f) {
  for (std::size_t begin = 0; begin < pixels.size(); begin += chunk_pixels) {
    f(pixels.data() + begin, static_cast<int>(std::min<std::size_t>(chunk_pixels, pixels.size() - begin)));
  }
}

/// Some pixels of a piece, in memory that is given; or the fact that there is no room for them.
class KeptPixels {
 public:
  void restart(std::span<float> room) {
    room_ = room;
    size_ = 0;
    full_ = false;
  }
  /// Calls copy(out), which writes at most `most` pixels and returns how many.
  template <class Copy>
  void append(int most, const Copy& copy) {
    full_ = full_ || size_ + static_cast<std::size_t>(most) > room_.size();
    if (!full_) size_ += static_cast<std::size_t>(copy(room_.data() + size_));
  }
  /// Drops what is outside of the interval, and calls f(chunk, its length) for what stays.
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
  std::span<const float> pixels() const { return room_.first(size_); }

 private:
  std::span<float> room_;
  std::size_t size_ = 0;
  bool full_ = false;
};

/// A piece of the image, and what one look at it keeps.
class Piece {
 public:
  Piece(std::span<const float> pixels, const Cpu& where) : pixels_(pixels), room_(tail_pixels + window_pixels, where) {}

  const PixelCounts& counts() const { return counts_; }
  std::span<const float> pixels() const { return pixels_; }
  /// The pixels of the window, and others only where they had no room.
  std::span<const float> window() const { return window_.full() ? pixels_ : window_.pixels(); }

  void look(const ClipGuess& guess, const SumGrid& grid, const Interval& near) {
    core_ = {};
    counts_ = {};
    core_interval_ = guess.core;
    tail_.restart(tail_room());
    window_.restart({room_.data() + tail_pixels, static_cast<std::size_t>(window_pixels)});
    dropped_below_ = below_ = 0;
    for_each_chunk(pixels_, [&](const float* chunk, int count) {
      add_sums(chunk, count, guess.core, grid, near, core_);
      count_unmasked(chunk, count, guess.window, counts_);
      tail_.append(count, [&](float* out) { return copy_outside(chunk, count, guess.core, out); });
      window_.append(count, [&](float* out) { return copy_inside(chunk, count, guess.window, out); });
    });
    core_.count = counts_.unmasked - static_cast<std::int64_t>(tail_.pixels().size());
  }

  /// The sums over an interval that contains the core and lies in `last`, the one before it since the look if there was
  /// one: the tail outside of that is not needed again.
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

  /// Of the tail in an interval; of all pixels in it where the tail had no room.
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

  /// A tail that had no room may have it when less of it is wanted: what is in `last`. `sums` are those over
  /// `interval`.
  void keep_again(const Interval& interval, const Interval& last, const PixelSums& sums) {
    tail_.restart(tail_room());
    for_each_chunk(pixels_, [&](const float* chunk, int count) {
      tail_.append(count, [&](float* out) {
        return copy_inside(out, copy_outside(chunk, count, core_interval_, out), last, out);
      });
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
  std::int64_t below_ = 0;          ///< of the tail, at the last interval
  std::int64_t dropped_below_ = 0;  ///< and of what was dropped
  KeptPixels tail_;
  KeptPixels window_;
};

/// An image as the clip looks at it (stages/sky/clip.hpp). One read sums the core and keeps the few pixels outside of
/// it and those near the median; rounds go on with these alone. Where the guess proves wrong, it is made anew and the
/// image read again.
class ClipPixels {
 public:
  ClipPixels(const Image<float, Cpu>& image, const BackgroundConfig& config, const Cpu& where)
      : where_(where), sample_(sorted_sample(image)), grid_(grid_of_sample(sample_.data(), sample_size())) {
    const std::int64_t count = image.shape.count();
    for (std::int64_t begin = 0; begin < count; begin += piece_pixels) {
      const auto size = static_cast<std::size_t>(std::min(piece_pixels, count - begin));
      pieces_.emplace_back(std::span(image.pixels.data() + begin, size), where);
    }
    if (grid_.scale == 0) grid_.scale = smallest_scale();
    near_ = grid_.near_pixels();
    guess_ = guess_of(sample_, grid_, config);
    look();
  }

  const SumGrid& grid() const { return grid_; }
  double zero_share() const {
    const auto zeros = std::count(sample_.begin(), sample_.end(), 0.0F);
    return sample_.empty() ? 0 : static_cast<double>(zeros) / static_cast<double>(sample_.size());
  }

  void set_grid(const SumGrid& grid) {
    grid_ = grid;
    near_ = grid.near_pixels();
    look();
  }

  const PixelSums& sum(const Interval& interval) {
    if (!interval.contains(guess_.core)) {
      // The next intervals lie in this one: its middle half is a core until they have shrunk by as much.
      const float quarter = (interval.upper - interval.lower) / 4;
      guess_.core = {interval.lower + quarter, interval.upper - quarter};
      look();
    }
    sums_ = {};
    std::mutex merge;
    for_each_piece([&](Piece& piece) {
      const PixelSums sums = piece.sum(interval, last_, grid_, near_);
      const std::lock_guard lock(merge);
      add(sums_, sums);
    });
    last_ = interval;
    return sums_;
  }

  /// Of the pixels in the last interval that was summed, or the one before it.
  Extremes extremes(const Interval& interval) {
    Extremes found = extremes_of([&](const Piece& piece) { return piece.tail_extremes(interval); });
    // The tail is all around the core, or else the core's own pixels are wanted.
    if (found.smallest <= guess_.core.lower && found.largest >= guess_.core.upper) return found;
    if (!core_extremes_) {
      core_extremes_ = extremes_of([&](const Piece& piece) { return Piece::extremes(piece.pixels(), guess_.core); });
    }
    return {std::min(found.smallest, core_extremes_->smallest), std::max(found.largest, core_extremes_->largest)};
  }

  double median(std::int64_t below, std::int64_t count) {
    const double upper = value(below + count / 2);
    if (count % 2 == 1) return upper;
    return (value(below + count / 2 - 1) + upper) / 2;
  }

 private:
  int sample_size() const { return static_cast<int>(sample_.size()); }

  template <class F>
  void for_each_piece(const F& f) {
    parallel_for(static_cast<std::int64_t>(pieces_.size()), 1, where_,
                 [&](std::int64_t piece, std::int64_t) { f(pieces_[static_cast<std::size_t>(piece)]); });
  }

  void look() {
    for_each_piece([&](Piece& piece) { piece.look(guess_, grid_, near_); });
    last_.reset();
    core_extremes_.reset();
    unmasked_ = 0;
    std::int64_t below_window = 0;
    for (const Piece& piece : pieces_) {
      unmasked_ += piece.counts().unmasked;
      below_window += piece.counts().below_window;
    }
    ranks_.emplace(
        guess_.window, below_window,
        RankedPixels{[this](const Interval& interval) { return window_extremes(interval); },
                     [this](const Interval& interval, const LinearBins& bins) { return count(interval, bins); },
                     [this](const Interval& interval) { return collect(interval); }});
  }

  float value(std::int64_t rank) {
    for (double reach = rank_margin(sample_size());; reach *= 4) {
      if (const std::optional<float> found = ranks_->value(rank)) return *found;
      const double fraction = static_cast<double>(rank) / static_cast<double>(unmasked_);
      guess_.window = window_between(sample_.data(), sample_size(), fraction - reach, fraction + reach);
      look();
    }
  }

  /// Calls f(pixels, how many) for the pixels of an interval that lies in the window, in chunks, from several threads.
  template <class F>
  void for_each_in_window(const Interval& interval, const F& f) {
    for_each_piece([&](Piece& piece) {
      float inside[chunk_pixels];
      for_each_chunk(piece.window(), [&](const float* chunk, int count) {
        if (const int copied = copy_inside(chunk, count, interval, inside); copied > 0) f(inside, copied);
      });
    });
  }

  template <class F>
  Extremes extremes_of(const F& of_piece) {
    Extremes total;
    std::mutex merge;
    for_each_piece([&](Piece& piece) {
      const Extremes part = of_piece(piece);
      const std::lock_guard lock(merge);
      total = {std::min(total.smallest, part.smallest), std::max(total.largest, part.largest)};
    });
    return total;
  }

  /// Of the pixels in an interval that lies in the window. Of the window itself the bounds serve as well and cost
  /// nothing; a part of it that holds many pixels may hold but one value.
  Extremes window_extremes(const Interval& interval) {
    if (interval.contains(guess_.window) && std::isfinite(interval.lower) && std::isfinite(interval.upper)) {
      return {next_above(interval.lower), next_below(interval.upper)};
    }
    return extremes_of([&](const Piece& piece) { return Piece::extremes(piece.window(), interval); });
  }

  std::vector<float> collect(const Interval& interval) {
    std::vector<float> collected;
    std::mutex merge;
    for_each_in_window(interval, [&](const float* pixels, int count) {
      const std::lock_guard lock(merge);
      collected.insert(collected.end(), pixels, pixels + count);
    });
    return collected;
  }

  std::vector<std::int64_t> count(const Interval& interval, const LinearBins& bins) {
    std::vector<std::int64_t> total(LinearBins::count);
    std::mutex merge;
    for_each_piece([&](Piece& piece) {
      BinTables tables;
      float inside[chunk_pixels];
      for_each_chunk(piece.window(), [&](const float* chunk, int n) {
        count_into_bins(inside, copy_inside(chunk, n, interval, inside), bins, tables);
      });
      const std::lock_guard lock(merge);
      for (const auto& table : tables.tables) {
        for (std::size_t bin = 0; bin < total.size(); ++bin) total[bin] += table[bin];
      }
    });
    return total;
  }

  /// What stands for the spread of a sample that has none.
  double smallest_scale() {
    double smallest = std::numeric_limits<double>::infinity();
    std::mutex merge;
    for_each_piece([&](Piece& piece) {
      double part = std::numeric_limits<double>::infinity();
      for_each_chunk(piece.pixels(), [&](const float* chunk, int count) {
        part = std::min(part, smallest_distance(chunk, count, grid_.centre));
      });
      const std::lock_guard lock(merge);
      smallest = std::min(smallest, part);
    });
    return std::isinf(smallest) ? 1 : power_of_two_below(smallest);
  }

  const Cpu where_;
  const std::vector<float> sample_;
  SumGrid grid_;
  Interval near_;
  std::vector<Piece> pieces_;
  ClipGuess guess_;
  std::int64_t unmasked_ = 0;
  PixelSums sums_;
  std::optional<Interval> last_;           ///< that was summed since the look
  std::optional<Extremes> core_extremes_;  ///< once they were wanted
  std::optional<RankSearch> ranks_;
};

}  // namespace

Value<Background, Cpu> estimate_background(const Image<float, Cpu>& image, const BackgroundConfig& config,
                                           const Cpu& where) {
  ClipPixels pixels(image, config, where);
  return clip(config.kappa, config.max_iterations, pixels);
}

}  // namespace srcextract
