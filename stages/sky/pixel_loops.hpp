#pragma once

#include <array>
#include <cstdint>

#include "stages/sky/deviation_sums.hpp"
#include "stages/sky/rank_search.hpp"

namespace srcextract {

/// The CPU's vector loops over pixels: at most this many a call, so that they are in the nearest cache.
inline constexpr int chunk_pixels = 1024;

/// Adds the pixels of a chunk that are in the interval. `near` is grid.near_pixels().
void add_inside(const float* pixels, int count, const Interval& interval, const SumGrid& grid, const Interval& near,
                PixelSums& sums);
/// The same without the counts, for who knows them already.
void add_sums(const float* pixels, int count, const Interval& interval, const SumGrid& grid, const Interval& near,
              PixelSums& sums);

/// What is counted over all pixels of an image.
struct PixelCounts {
  std::int64_t unmasked = 0;
  std::int64_t below_window = 0;  ///< <= its lower end
};
void count_unmasked(const float* pixels, int count, const Interval& window, PixelCounts& counts);

/// What the first look at a chunk is for: the sums of its core, what is counted, and copies of what is outside of the
/// core and inside the window, as add_sums(), count_unmasked(), copy_outside() and copy_inside() have them.
struct FirstLook {
  Interval core, window;
  SumGrid grid;
  Interval near;
};
/// `outside` and `inside` have room for all pixels; they become the ends of what was written there.
void look_at(const float* pixels, int count, const FirstLook& look, PixelSums& sums, PixelCounts& counts,
             float*& outside, float*& inside);

/// The smallest distance from the centre that is not 0; infinity if there is none.
double smallest_distance(const float* pixels, int count, double centre);

/// Widens the extremes by the pixels of a chunk that are in the interval.
void widen(const float* pixels, int count, const Interval& interval, Extremes& extremes);

/// Copies the unmasked pixels of a chunk that are in the interval, or outside of it, in their order to `out`, which has
/// room for all and may be where they are. Returns how many.
int copy_inside(const float* pixels, int count, const Interval& interval, float* out);
int copy_outside(const float* pixels, int count, const Interval& interval, float* out);

/// Counts the pixels of a chunk into bins: all of them are in the bins. Four tables, to be added: neighbours are often
/// alike, and one increment need not wait for the last.
struct BinTables {
  std::array<std::array<std::uint32_t, LinearBins::count>, 4> tables{};
};
void count_into_bins(const float* pixels, int count, const LinearBins& bins, BinTables& tables);

}  // namespace srcextract
