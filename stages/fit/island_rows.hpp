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

/// The rows of the Gaussians of an island, and of the sources that they make. Two Gaussians are one source if the model
/// between them falls by at most fit.group_tolerance thresholds below the fainter of its values at their centres, and
/// they are not farther apart than the mean of their full widths on the line between them. Without Gaussians there is
/// one source, from the moments of the island's pixels.
IslandRows rows_of_island(const FitMap& map, const FitIsland& island, const FitRule& rule,
                          const IslandGaussians& gaussians);

/// Sums of J'C J over the pixels of an island in raster order, where J holds `columns` derivatives a pixel times its
/// noise.
SymmetricMatrix noise_of_sums(const std::vector<std::int32_t>& x, const std::vector<std::int32_t>& y,
                              const std::vector<double>& j, std::size_t columns, const NoiseCorrelation& correlation);

}  // namespace srcextract
