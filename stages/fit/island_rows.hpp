#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stages/fit/fit_island.hpp"
#include "stages/fit/fitted_row.hpp"

namespace srcextract {

/// The rows of one island.
struct IslandRows {
  std::vector<ComponentRow> gaussians, sources;  ///< sources are numbered from 1 in the island
};

/// Makes the rows of an island's Gaussians, and of the sources into which they are grouped. Two Gaussians form one
/// source under two conditions. Between their centres the model falls at most fit.group_tolerance thresholds below the
/// fainter of its values at the centres. Their distance is at most the mean of their full widths along the line between
/// them. An island without Gaussians gives one source, from moments of its pixels.
IslandRows rows_of_island(const FitMap& map, const FitIsland& island, const FitRule& rule,
                          const IslandGaussians& gaussians);

/// Returns the sums J'C J over the pixels of an island in raster order. `j` has `columns` derivatives per pixel,
/// multiplied by the pixel's noise, and C is the correlation of the noise. With more than 20000 pixels, derivatives
/// count as constant within reach of C.
SymmetricMatrix noise_of_sums(const std::vector<std::int32_t>& x, const std::vector<std::int32_t>& y,
                              const std::vector<double>& j, std::size_t columns, const NoiseCorrelation& correlation);

}  // namespace srcextract
