#pragma once

#include <array>
#include <cstdint>

#include "stages/sky/deviation_sums.hpp"
#include "stages/sky/rank_search.hpp"

namespace srcextract {

/// The CPU's vector loops take at most this many pixels a call, so that these stay in the nearest cache.
inline constexpr int chunk_pixels = 1024;

/// Adds the pixels of a chunk that are in the interval. `near` is grid.near_pixels().
void add_inside(const float* pixels, int count, const Interval& interval, const SumGrid& grid, const Interval& near,
                PixelSums& sums);
/// Adds the sums without the counts, for callers that know these already.
void add_sums(const float* pixels, int count, const Interval& interval, const SumGrid& grid, const Interval& near,
              PixelSums& sums);

/// Counts over all pixels of an image.
struct PixelCounts {
  std::int64_t unmasked = 0;
  std::int64_t below_window = 0;  ///< pixels <= the window's lower end
};
void count_unmasked(const float* pixels, int count, const Interval& window, PixelCounts& counts);

/// The parameters of the first pass over a chunk. The pass sums the core, counts, and copies the pixels outside the
/// core and those inside the window, as add_sums(), count_unmasked(), copy_outside() and copy_inside() do.
struct FirstLook {
  Interval core, window;
  SumGrid grid;
  Interval near;
};
/// `outside` and `inside` have room for all pixels. They return the ends of the copies.
void look_at(const float* pixels, int count, const FirstLook& look, PixelSums& sums, PixelCounts& counts,
             float*& outside, float*& inside);

/// The smallest distance from the centre that is not 0; infinity if there is none.
double smallest_distance(const float* pixels, int count, double centre);

/// Widens the extremes by the pixels of a chunk that are in the interval.
void widen(const float* pixels, int count, const Interval& interval, Extremes& extremes);

/// Copies the unmasked pixels of a chunk that are in the interval, or outside it, in order. `out` has room for all
/// pixels and may be `pixels`. Returns the number of copies.
int copy_inside(const float* pixels, int count, const Interval& interval, float* out);
int copy_outside(const float* pixels, int count, const Interval& interval, float* out);

/// Counts of a chunk's pixels, all of which are in some bin. There are four tables, to be added up: neighbours often
/// share a bin, and an increment then need not wait for the previous one.
struct BinTables {
  std::array<std::array<std::uint32_t, LinearBins::count>, 4> tables{};
};
void count_into_bins(const float* pixels, int count, const LinearBins& bins, BinTables& tables);

}  // namespace srcextract
