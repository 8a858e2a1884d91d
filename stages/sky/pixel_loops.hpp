#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "stages/sky/deviation_sums.hpp"
#include "stages/sky/rank_search.hpp"

namespace srcextract {

/// Maximum number of pixels per call of a vector loop on the CPU. A chunk of this many pixels fits in the first-level
/// cache.
inline constexpr int chunk_pixels = 1024;

/// Calls f(pointer, count) for chunks of at most chunk_pixels pixels.
template <class F>
void for_each_chunk(std::span<const float> pixels, const F& f) {
  for (std::size_t begin = 0; begin < pixels.size(); begin += chunk_pixels) {
    f(pixels.data() + begin, static_cast<int>(std::min<std::size_t>(chunk_pixels, pixels.size() - begin)));
  }
}

/// Adds those pixels of a chunk that are in the interval to `sums`. `near` must be grid.near_pixels().
void add_inside(const float* pixels, int count, const Interval& interval, const SumGrid& grid, const Interval& near,
                PixelSums& sums);

/// Numbers of pixels, summed over chunks.
struct PixelCounts {
  std::int64_t unmasked = 0;
  std::int64_t below_window = 0;  ///< pixels at or below the window's lower end
};

/// Parameters of look_at(). `core` is an interval inside every clipped set, `window` an interval near the median
/// (clip_piece.hpp); `near` must be grid.near_pixels().
struct FirstLook {
  Interval core, window;
  SumGrid grid;
  Interval near;
};
/// Makes the first pass over a chunk: adds the sums of the core (sums.count and sums.below stay unchanged), counts
/// unmasked pixels, and calls copy_outside() for the core and copy_inside() for the window. `outside` and `inside` must
/// have space for `count` more pixels, and are moved to the ends of the copied pixels.
void look_at(const float* pixels, int count, const FirstLook& look, PixelSums& sums, PixelCounts& counts,
             float*& outside, float*& inside);

/// The smallest nonzero distance of a pixel from `centre`; infinity if there is none.
double smallest_distance(const float* pixels, int count, double centre);

/// Extends `extremes` so that they include the pixels of a chunk that are in the interval.
void widen(const float* pixels, int count, const Interval& interval, Extremes& extremes);

/// Copies the unmasked pixels of a chunk that are inside the interval, or outside it, in order. `out` must have space
/// for all pixels and may be `pixels`. Returns the number of copied pixels.
int copy_inside(const float* pixels, int count, const Interval& interval, float* out);
int copy_outside(const float* pixels, int count, const Interval& interval, float* out);

/// Counts of pixels per bin, in four tables that must be added up. Neighbouring pixels often share a bin; in one table
/// each increment would wait for the previous increment. No pixel may be outside the bins.
struct BinTables {
  std::array<std::array<std::uint32_t, LinearBins::count>, 4> tables{};
};
void count_into_bins(const float* pixels, int count, const LinearBins& bins, BinTables& tables);

}  // namespace srcextract
