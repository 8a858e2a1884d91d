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
  std::int64_t rounds = 0;     ///< trial steps of all fits
  std::int64_t pixels = 0;     ///< summed over the blocks
  double chi2 = 0;             ///< sum of squared residuals over noise^2, per degree of freedom
};

/// Fits Gaussians to an island. The fit starts with the Gaussians of find_seeds. Then, at most fit.refine times, it
/// adds a Gaussian at the largest residual and keeps it if the rms of the residuals falls. This residual must exceed
/// the seed threshold; from an rms of 1.5 on, the threshold of islands is enough. Implausible Gaussians get the shape
/// of the beam; if that does not help, they are dropped. At most eight Gaussians are fitted together, to bound the
/// work. More are fitted in blocks of neighbours, with the others subtracted, in two sweeps. An island of more than
/// fit.large pixels gets no Gaussians.
IslandGaussians fit_gaussians(const FitMap& map, const FitIsland& island, const FitRule& rule);

/// The sum of the Gaussians `of` at pixel (x, y), in units of the island's noise.
double model_at(const std::vector<Fitted>& of, double x, double y);

}  // namespace srcextract
