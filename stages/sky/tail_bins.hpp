#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "stages/core/buffer.hpp"
#include "stages/sky/deviation_sums.hpp"

namespace srcextract {

/// 1024 bins of equal width over an interval of class 0 pixels (SumGrid), and one outer bin on either side for all
/// other pixels. Rounding keeps the order: of two values, the larger is never in an earlier bin.
class TailBins {
 public:
  static constexpr int inner = 1024;
  static constexpr int count = inner + 2;

  explicit TailBins(const Interval& of)
      : of_(of), first_(of.lower), per_unit_(inner / (static_cast<double>(of.upper) - first_)) {}

  int bin(float x) const;
  void find(std::span<const float> pixels, std::uint16_t* bins) const;

 private:
  Interval of_;
  double first_, per_unit_;
};

/// The tail of a piece of the image, sorted by bins. The tail is the piece's pixels outside the clip's core, an
/// interval inside every clipped set.
struct BinnedPixels {
  std::array<std::uint32_t, TailBins::count + 1> begin;  ///< index of the first pixel of each bin, and the number of
                                                         ///< pixels
  std::span<const float> pixels;

  std::span<const float> of(int bin) const {
    const auto i = static_cast<std::size_t>(bin);
    return pixels.subspan(begin[i], begin[i + 1] - begin[i]);
  }
};

/// Sums over the pixels in all bins before some bin. `count` includes the outer bins; `first` and `second`, the sums of
/// d and d^2 (SumGrid), include only the inner bins.
struct SumsBefore {
  std::int64_t count = 0;
  ExactSum first, second;
};
using BinSums = std::array<SumsBefore, TailBins::count + 1>;

BinnedPixels bin_pixels(std::span<float> pixels, const TailBins& bins, const SumGrid& grid, BinSums& sums);

/// Computes the sums of the last clip iterations, when few pixels are outside the core. The sum over all bins that are
/// wholly inside an interval is a difference of two running sums. Only the two bins that contain the interval's ends
/// are read pixel by pixel.
class BinnedTail {
 public:
  /// `of` must contain all later intervals. `core` has the sums over the pixels that are in every interval. `below` is
  /// the number of pixels below the binned pixels.
  BinnedTail(const Interval& of, const SumGrid& grid, const PixelSums& core, std::int64_t below, std::size_t pieces)
      : of_(of), bins_(of), grid_(grid), near_(grid.near_pixels()), core_(core), below_(below), pieces_(pieces) {}

  const TailBins& bins() const { return bins_; }
  const Interval& of() const { return of_; }
  /// Sets the sorted tail of one piece. Each piece must be set once; several threads may do so at a time.
  void place(std::size_t piece, const BinnedPixels& pixels) { pieces_[piece] = pixels; }
  /// Adds the sums per bin of some pieces. Only one thread may call this function at a time.
  void add(const BinSums& sums);
  /// Turns the sums per bin into running sums; to be called once, after the sums of all pieces were added.
  void run_sums();

  PixelSums sum(const Interval& interval);
  Extremes extremes(const Interval& interval);

 private:
  /// Collects the pixels of a bin from all pieces. The results for two bins are kept: the ends of an interval that
  /// hardly shrinks stay in the same bins.
  std::span<const float> pixels_of(int bin);

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
  std::size_t oldest_ = 0;  ///< index in gathered_ of the older result
};

}  // namespace srcextract
