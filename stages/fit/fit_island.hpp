#pragma once

#include <vector>

#include "stages/fit/fit_rule.hpp"
#include "stages/fit/fitted_row.hpp"
#include "stages/fit/island.hpp"
#include "stages/fit/normal_equations.hpp"

namespace srcextract {

/// The Gaussians fitted to an island; none if no fit was possible.
struct IslandGaussians {
  std::vector<Fitted> of;      ///< in raster order of their start positions; peaks in units of the island's noise
  SymmetricMatrix covariance;  ///< of all their parameters (BlockFit::find_covariance)
  std::int16_t flags = 0;      ///< fit_flag, for all rows of the island
  std::int64_t rounds = 0;
  std::int64_t pixels = 0;
  double chi2 = 0;
};

/// Fits Gaussians to an island. The fit starts with the Gaussians of find_seeds. Then it adds a Gaussian where the
/// residual is above the seed threshold, at most fit.refine times. Implausible Gaussians get the shape of the beam; if
/// that does not help, they are dropped. At most eight Gaussians are fitted together, to bound the work. More are
/// fitted in blocks of neighbours, with the others subtracted, in two sweeps.
IslandGaussians fit_gaussians(const FitMap& map, const FitIsland& island, const FitRule& rule);

/// The sum of the Gaussians `of` at pixel (x, y), in units of the island's noise.
double model_at(const std::vector<Fitted>& of, double x, double y);

}  // namespace srcextract
