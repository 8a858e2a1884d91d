#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "stages/core/buffer.hpp"
#include "stages/sky/deviation_sums.hpp"

namespace srcextract {

/// 1024 bins of equal width over an interval of near pixels (SumGrid), and one more bin on either side of the interval.
/// A larger value is never in an earlier bin, in spite of rounding.
class TailBins {
 public:
  static constexpr int inner = 1024;
  static constexpr int count = inner + 2;

  explicit TailBins(const Interval& of)
      : of_(of), first_(of.lower), per_unit_(inner / (static_cast<double>(of.upper) - first_)) {}

  int bin(float x) const;
  /// Sets bins[i] to the bin of pixel i.
  void find(std::span<const float> pixels, std::uint16_t* bins) const;

 private:
  Interval of_;
  double first_, per_unit_;
};

/// The tail of a piece of the image (the pixels outside the clip's core), ordered by bins.
struct BinnedPixels {
  std::array<std::uint32_t, TailBins::count + 1> begin;  ///< index of each bin's first pixel, and of the end
  std::span<const float> pixels;

  std::span<const float> of(int bin) const {
    const auto i = static_cast<std::size_t>(bin);
    return pixels.subspan(begin[i], begin[i + 1] - begin[i]);
  }
};

/// Sums over the pixels in all bins before some bin. `count` includes the outer bins, the sums only the inner ones.
struct SumsBefore {
  std::int64_t count = 0;
  ExactSum first, second;
};
using BinSums = std::array<SumsBefore, TailBins::count + 1>;

/// Reorders pixels by their bins, in place, and adds the sums of each bin to `sums`.
BinnedPixels bin_pixels(std::span<float> pixels, const TailBins& bins, const SumGrid& grid, BinSums& sums);

/// Computes the sums of the clip's late rounds, when few pixels are outside the core. The sums of the bins that lie
/// wholly in an interval are a difference of two running sums. Only the two bins with the interval's ends are read
/// pixel by pixel.
class BinnedTail {
 public:
  /// `of` must contain all later intervals. `core` has the sums that all intervals share; `below` is the number of
  /// pixels below the binned ones.
  BinnedTail(const Interval& of, const SumGrid& grid, const PixelSums& core, std::int64_t below, std::size_t pieces)
      : of_(of), bins_(of), grid_(grid), near_(grid.near_pixels()), core_(core), below_(below), pieces_(pieces) {}

  const TailBins& bins() const { return bins_; }
  const Interval& of() const { return of_; }
  /// Sets the pixels of one piece. Each piece must be set once; any thread may call this.
  void place(std::size_t piece, const BinnedPixels& pixels) { pieces_[piece] = pixels; }
  /// Adds the sums of bins of some pieces. Only one thread may call this at a time.
  void add(const BinSums& sums);
  /// Turns the sums per bin into running sums. Call it once, after all pieces are added.
  void run_sums();

  PixelSums sum(const Interval& interval);
  Extremes extremes(const Interval& interval);

 private:
  /// Collects the pixels of a bin from all pieces. The last two bins are kept, since the ends of an interval that
  /// hardly shrinks stay in the same bins.
  std::span<const float> pixels_of(int bin);

  /// Calls f(chunk, its length) for the pixels of a bin, in chunks.
  template <class F>
  void for_each_chunk_of(int bin, const F& f);

  struct Gathered {
    int bin = -1;
    std::vector<float> pixels;
  };

  Interval of_;
  TailBins bins_;
  SumGrid grid_;
  Interval near_;
  PixelSums core_;
  std::int64_t below_;
  std::vector<BinnedPixels> pieces_;
  BinSums sums_{};
  std::array<Gathered, 2> gathered_;
  std::size_t oldest_ = 0;  ///< index of the older one
};

}  // namespace srcextract
