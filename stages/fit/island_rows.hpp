#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stages/fit/fit_island.hpp"
#include "stages/fit/fitted_row.hpp"

namespace srcextract {

struct IslandRows {
  std::vector<ComponentRow> gaussians, sources;  ///< ComponentRow::source counts the sources of this island from 1
};

/// Makes the rows of an island's Gaussians, and groups the Gaussians into sources. Two Gaussians belong to one source
/// under two conditions. First, on the line between their centres, the summed model falls by at most
/// fit.group_tolerance thresholds below its lower value at the two centres. Second, the distance of the centres is at
/// most the mean of the Gaussians' full widths at half maximum along this line. An island without Gaussians gives one
/// source, from moments of its pixels.
IslandRows rows_of_island(const FitMap& map, const FitIsland& island, const FitRule& rule,
                          const IslandGaussians& gaussians);

/// Returns J'C J: the covariance of `columns` weighted sums over the pixels, where C is the correlation of the noise.
/// The pixels (x, y) must be in raster order. `j` has `columns` elements of J per pixel, which must already be
/// multiplied by the pixel's noise. With more than 20000 pixels, J is taken as constant within correlation.reach(), to
/// save time.
SymmetricMatrix noise_of_sums(const std::vector<std::int32_t>& x, const std::vector<std::int32_t>& y,
                              const std::vector<double>& j, std::size_t columns, const NoiseCorrelation& correlation);

}  // namespace srcextract
