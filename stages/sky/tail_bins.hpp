#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "stages/core/buffer.hpp"
#include "stages/sky/deviation_sums.hpp"

namespace srcextract {

/// Equal bins over an interval of near pixels (SumGrid), and one for what lies on either side of it. Rounding is the
/// same for every pixel and keeps their order.
class TailBins {
 public:
  static constexpr int inner = 1024;
  static constexpr int count = inner + 2;

  explicit TailBins(const Interval& of)
      : of_(of), first_(of.lower), per_unit_(inner / (static_cast<double>(of.upper) - first_)) {}

  int bin(float x) const;
  /// Of many at once.
  void find(std::span<const float> pixels, std::uint16_t* bins) const;

 private:
  Interval of_;
  double first_, per_unit_;
};

/// The tail of a piece of the image by bins.
struct BinnedPixels {
  std::array<std::uint32_t, TailBins::count + 1> begin;  ///< of each bin, and the end
  std::span<const float> pixels;

  std::span<const float> of(int bin) const {
    const auto i = static_cast<std::size_t>(bin);
    return pixels.subspan(begin[i], begin[i + 1] - begin[i]);
  }
};

/// Sums of the pixels before a bin: of all, and of those in the inner bins.
struct SumsBefore {
  std::int64_t count = 0;
  ExactSum first, second;
};
using BinSums = std::array<SumsBefore, TailBins::count + 1>;

/// Orders pixels by their bins, in place, and adds what each bin has to `sums`.
BinnedPixels bin_pixels(std::span<float> pixels, const TailBins& bins, const SumGrid& grid, BinSums& sums);

/// What rounds of the clip sum once few pixels are left to be looked at: bins that an interval holds as a whole are a
/// difference of two running sums, and only the two in which it ends are looked at pixel by pixel.
class BinnedTail {
 public:
  /// Intervals to come lie in `of`. `core`: the sums that every interval has; `below`: pixels below all that are
  /// binned.
  BinnedTail(const Interval& of, const SumGrid& grid, const PixelSums& core, std::int64_t below, std::size_t pieces)
      : of_(of), bins_(of), grid_(grid), near_(grid.near_pixels()), core_(core), below_(below), pieces_(pieces) {}

  const TailBins& bins() const { return bins_; }
  const Interval& of() const { return of_; }
  /// Takes a piece, each once; from any thread.
  void place(std::size_t piece, const BinnedPixels& pixels) { pieces_[piece] = pixels; }
  /// Takes what pieces have added; from one thread at a time.
  void add(const BinSums& sums);
  /// Once all pieces are there.
  void run_sums();

  PixelSums sum(const Interval& interval);
  Extremes extremes(const Interval& interval);

 private:
  /// The pixels of a bin from all pieces. The last bins asked for are kept: an interval that hardly shrinks ends in the
  /// same ones again.
  std::span<const float> pixels_of(int bin);

  /// Calls f(chunk, its length) for the pixels of a bin.
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
  std::size_t oldest_ = 0;  ///< of the two
};

}  // namespace srcextract
