#include "stages/sky/background.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "stages/core/error.hpp"
#include "stages/core/parallel.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/math/radix_sort.hpp"
#include "stages/sky/clip.hpp"
#include "stages/sky/clip_piece.hpp"
#include "stages/sky/pixel_loops.hpp"
#include "stages/sky/rank_search.hpp"
#include "stages/sky/sky_sample.hpp"

namespace srcextract {

namespace {

std::vector<float> sorted_sample(const Image<float, Cpu>& image) {
  const std::int64_t count = image.shape.count();
  const int samples = sample_size(count);
  std::vector<float> sample;
  sample.reserve(static_cast<std::size_t>(samples));
  HeldRows held;
  for (int i = 0; i < samples; ++i) {
    // If the image has no more pixels than the sample, the sample is every pixel, in order.
    const std::int64_t at = samples == count ? i : sample_position(i, samples, count), row = at / image.shape.width;
    held = HeldRows(image, row, row + 1);
    const float pixel = image.pixels[at];
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

Extremes widest(const Extremes& a, const Extremes& b) {
  return {std::min(a.smallest, b.smallest), std::max(a.largest, b.largest)};
}

/// Provides the sums and medians of an image's pixels that clip() (stages/sky/clip.hpp) asks for. Two intervals of
/// pixel values are guessed from a sample: the core, which should be inside every clipped set, and the window, which
/// should contain every median.
///
/// One pass over the image sums the pixels in the core. The pass keeps the tail (the few pixels outside the core) and
/// the pixels in the window. Later clip iterations read only the kept pixels. If a guess proves wrong, a new guess is
/// made and the image is read again.
class ClipPixels {
 public:
  ClipPixels(const Image<float, Cpu>& image, const BackgroundConfig& config, const Cpu& where)
      : where_(where),
        image_(image),
        sample_(sorted_sample(image)),
        grid_(grid_of_sample(sample_.data(), sample_size())) {
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
      // Later intervals are inside this interval. The middle half of the interval becomes the core, which no longer
      // needs a new guess until an interval is narrower than that half.
      const float quarter = (interval.upper - interval.lower) / 4;
      guess_.core = {interval.lower + quarter, interval.upper - quarter};
      look();
    }
    if (!binned_ && bins_pay(interval)) bin_tail(interval);
    if (binned_) {
      sums_ = binned_->sum(interval);
      last_ = interval;
      return sums_;
    }
    sums_ = {};
    // clip() asks for the extremes of the first interval right after its sums, so the same pass finds both at little
    // cost.
    Extremes of_tail;
    const bool first = !last_ && have_tails();
    std::mutex merge;
    for_each_piece(Reads::tail, [&](ClipPiece& piece) {
      const PixelSums sums = piece.sum(interval, last_, grid_, near_);
      const Extremes extremes = first ? piece.tail_extremes(interval) : Extremes{};
      const std::lock_guard lock(merge);
      add(sums_, sums);
      of_tail = widest(of_tail, extremes);
    });
    if (first) first_tail_.emplace(interval, of_tail);
    last_ = interval;
    return sums_;
  }

  /// Returns the smallest and largest pixel in `interval`, which must be the interval of the last sum() or of the sum()
  /// before it.
  Extremes extremes(const Interval& interval) {
    const Extremes found = tail_extremes(interval);
    // If tail pixels are on both sides of the core, they are the extremes. Else a pixel of the core may be an extreme.
    if (found.smallest <= guess_.core.lower && found.largest >= guess_.core.upper) return found;
    if (!core_extremes_) {
      core_extremes_ = extremes_of(
          Reads::pixels, [&](const ClipPiece& piece) { return ClipPiece::extremes(piece.pixels(), guess_.core); });
    }
    return widest(found, *core_extremes_);
  }

  double median(std::int64_t below, std::int64_t count) {
    const double upper = value(below + count / 2);
    if (count % 2 == 1) return upper;
    return (value(below + count / 2 - 1) + upper) / 2;
  }

 private:
  int sample_size() const { return static_cast<int>(sample_.size()); }

  /// Which pixels a pass reads of a piece (a fixed number of consecutive pixels of the image): all pixels, or the kept
  /// pixels of tail or window. If the kept pixels did not fit in memory, all pixels are read.
  enum class Reads { pixels, tail, window };

  template <class F>
  void for_each_piece(Reads reads, const F& f) {
    parallel_for(std::ssize(pieces_), 1, where_, [&](std::int64_t i, std::int64_t) {
      const auto piece = static_cast<std::size_t>(i);
      const HeldRows held = rows_of(piece, reads);
      f(pieces_[piece]);
    });
  }
  /// Holds the rows of a piece in memory if `reads` needs all pixels of the piece; else holds nothing.
  HeldRows rows_of(std::size_t piece, Reads reads) const {
    if (reads == Reads::tail ? pieces_[piece].has_tail() : reads == Reads::window && pieces_[piece].has_window())
      return {};
    const std::int64_t first = static_cast<std::int64_t>(piece) * piece_pixels;
    return rows_of_pixels(image_, first, first + piece_pixels);
  }

  /// Calls f(begin, end) in parallel for ranges of pieces, one range for each thread. Callers whose result is a table
  /// fill one table in each call of f. With a table for each piece, adding the tables would take as long as filling
  /// them.
  template <class F>
  void for_each_share(const F& f) {
    const auto count = static_cast<std::int64_t>(pieces_.size());
    const std::int64_t share = std::max<std::int64_t>((count + where_.threads - 1) / where_.threads, 1);
    parallel_for(count, share, where_, [&](std::int64_t begin, std::int64_t end) {
      f(static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
    });
  }

  bool have_tails() const { return std::ranges::all_of(pieces_, &ClipPiece::has_tail); }

  Extremes tail_extremes(const Interval& interval) {
    if (first_tail_ && first_tail_->first.contains(interval) && interval.contains(first_tail_->first))
      return first_tail_->second;
    if (binned_ && binned_->of().contains(interval)) return binned_->extremes(interval);
    return extremes_of(Reads::tail, [&](const ClipPiece& piece) { return piece.tail_extremes(interval); });
  }

  /// Whether sorting the tail into bins saves time in this and later intervals. Later intervals are then summed by one
  /// thread, since for so few pixels threads would wait longer for each other than the work takes.
  bool bins_pay(const Interval& interval) const {
    constexpr std::size_t few = std::size_t{1} << 13;
    if (!near_.contains(interval) || !have_tails()) return false;
    std::size_t pixels = 0;
    for (const ClipPiece& piece : pieces_) pixels += piece.tail_size();
    return pixels > few;
  }

  void bin_tail(const Interval& interval) {
    PixelSums core;
    for (const ClipPiece& piece : pieces_) add(core, piece.sums_without_tail());
    binned_.emplace(interval, grid_, core, core.below, pieces_.size());
    std::mutex merge;
    for_each_share([&](std::size_t begin, std::size_t end) {
      BinSums sums{};
      for (std::size_t piece = begin; piece < end; ++piece)
        binned_->place(piece, pieces_[piece].bin_tail(binned_->bins(), grid_, sums));
      const std::lock_guard lock(merge);
      binned_->add(sums);
    });
    binned_->run_sums();
  }

  void look() {
    binned_.reset();
    first_tail_.reset();
    for_each_piece(Reads::pixels, [&](ClipPiece& piece) { piece.look(guess_, grid_, near_); });
    last_.reset();
    core_extremes_.reset();
    unmasked_ = 0;
    std::int64_t below_window = 0;
    for (const ClipPiece& piece : pieces_) {
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

  template <class F>
  Extremes extremes_of(Reads reads, const F& of_piece) {
    Extremes total;
    std::mutex merge;
    for_each_piece(reads, [&](ClipPiece& piece) {
      const Extremes part = of_piece(piece);
      const std::lock_guard lock(merge);
      total = widest(total, part);
    });
    return total;
  }

  /// Bounds of the pixel values in an interval within the window. For the whole window the ends of the interval serve
  /// as bounds, which needs no pass. For a smaller interval the exact extremes are found, since an interval with many
  /// pixels may hold only equal pixels.
  Extremes window_extremes(const Interval& interval) {
    if (interval.contains(guess_.window) && std::isfinite(interval.lower) && std::isfinite(interval.upper)) {
      return {next_above(interval.lower), next_below(interval.upper)};
    }
    return extremes_of(Reads::window,
                       [&](const ClipPiece& piece) { return ClipPiece::extremes(piece.window(), interval); });
  }

  std::vector<float> collect(const Interval& interval) {
    std::vector<float> collected;
    std::mutex merge;
    for_each_piece(Reads::window, [&](ClipPiece& piece) {
      std::vector<float> of_piece;
      float inside[chunk_pixels];
      for_each_chunk(piece.window(), [&](const float* chunk, int count) {
        of_piece.insert(of_piece.end(), inside, inside + copy_inside(chunk, count, interval, inside));
      });
      const std::lock_guard lock(merge);
      collected.insert(collected.end(), of_piece.begin(), of_piece.end());
    });
    return collected;
  }

  std::vector<std::int64_t> count(const Interval& interval, const LinearBins& bins) {
    std::vector<std::int64_t> total(LinearBins::count);
    std::mutex merge;
    for_each_share([&](std::size_t begin, std::size_t end) {
      BinTables tables;
      float inside[chunk_pixels];
      for (std::size_t piece = begin; piece < end; ++piece) {
        const HeldRows held = rows_of(piece, Reads::window);
        for_each_chunk(pieces_[piece].window(), [&](const float* chunk, int n) {
          count_into_bins(inside, copy_inside(chunk, n, interval, inside), bins, tables);
        });
      }
      const std::lock_guard lock(merge);
      for (const auto& table : tables.tables) std::ranges::transform(total, table, total.begin(), std::plus());
    });
    return total;
  }

  /// The scale of the grid for a sample whose interquartile range is 0: the smallest nonzero distance of a pixel from
  /// the grid's centre, rounded down to a power of two; 1 if all distances are 0.
  double smallest_scale() {
    double smallest = std::numeric_limits<double>::infinity();
    std::mutex merge;
    for_each_piece(Reads::pixels, [&](ClipPiece& piece) {
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
  const Image<float, Cpu>& image_;
  const std::vector<float> sample_;
  SumGrid grid_;
  Interval near_;
  std::vector<ClipPiece> pieces_;
  ClipGuess guess_;
  std::int64_t unmasked_ = 0;
  PixelSums sums_;
  std::optional<Interval> last_;                             ///< the last interval summed since look()
  std::optional<Extremes> core_extremes_;                    ///< extremes of the pixels in the core; unset until needed
  std::optional<std::pair<Interval, Extremes>> first_tail_;  ///< extremes of the tail pixels in the first interval
                                                             ///< since look()
  std::optional<BinnedTail> binned_;                         ///< the tail sorted into bins; unset until bins_pay()
  std::optional<RankSearch> ranks_;
};

}  // namespace

Value<Background, Cpu> estimate_background(const Image<float, Cpu>& image, const BackgroundConfig& config,
                                           const Cpu& where) {
  ClipPixels pixels(image, config, where);
  return clip(config.kappa, config.max_iterations, pixels);
}

}  // namespace srcextract
