#pragma once

#include <array>
#include <cstdint>

#include "stages/sky/deviation_sums.hpp"
#include "stages/sky/rank_search.hpp"

namespace srcextract {

/// Most pixels that the CPU's vector loops take per call, so that these pixels stay in the nearest cache.
inline constexpr int chunk_pixels = 1024;

/// Adds the pixels of a chunk that are in the interval to `sums`. `near` must be grid.near_pixels().
void add_inside(const float* pixels, int count, const Interval& interval, const SumGrid& grid, const Interval& near,
                PixelSums& sums);
/// As add_inside(), but leaves sums.count and sums.below unchanged, for callers that know them already.
void add_sums(const float* pixels, int count, const Interval& interval, const SumGrid& grid, const Interval& near,
              PixelSums& sums);

/// Counts over all pixels of an image.
struct PixelCounts {
  std::int64_t unmasked = 0;
  std::int64_t below_window = 0;  ///< pixels <= the window's lower end
};
void count_unmasked(const float* pixels, int count, const Interval& window, PixelCounts& counts);

/// Parameters of the first pass over a chunk, look_at(): it does add_sums() for the core, count_unmasked(),
/// copy_outside() for the core and copy_inside() for the window.
struct FirstLook {
  Interval core, window;
  SumGrid grid;
  Interval near;
};
/// Makes the first pass over a chunk. `outside` and `inside` must have room for all pixels, and are moved to the ends
/// of what was copied.
void look_at(const float* pixels, int count, const FirstLook& look, PixelSums& sums, PixelCounts& counts,
             float*& outside, float*& inside);

/// The smallest distance of a pixel from `centre` that is not 0; infinity if there is none.
double smallest_distance(const float* pixels, int count, double centre);

/// Widens the extremes by the pixels of a chunk that are in the interval.
void widen(const float* pixels, int count, const Interval& interval, Extremes& extremes);

/// Copies the unmasked pixels of a chunk that are in the interval (or outside it), in order. `out` must have room for
/// all pixels and may be `pixels`. Returns the number of copied pixels.
int copy_inside(const float* pixels, int count, const Interval& interval, float* out);
int copy_outside(const float* pixels, int count, const Interval& interval, float* out);

/// Counts of pixels per bin, in four tables to be added up. Neighbouring pixels often share a bin; with four tables an
/// increment need not wait for the previous one. All pixels must be in some bin.
struct BinTables {
  std::array<std::array<std::uint32_t, LinearBins::count>, 4> tables{};
};
void count_into_bins(const float* pixels, int count, const LinearBins& bins, BinTables& tables);

}  // namespace srcextract
