#pragma once

#include <vector>

#include "stages/fit/fit_rule.hpp"
#include "stages/fit/fitted_row.hpp"
#include "stages/fit/island.hpp"
#include "stages/fit/normal_equations.hpp"

namespace srcextract {

/// The Gaussians of an island; none where no fit is possible.
struct IslandGaussians {
  std::vector<Fitted> of;      ///< in raster order of their starts; peaks in units of the island's noise
  SymmetricMatrix covariance;  ///< of all their parameters (BlockFit::find_covariance)
  std::int16_t flags = 0;      ///< fit_flag, for all rows of the island
  std::int64_t rounds = 0;
  std::int64_t pixels = 0;
  double chi2 = 0;
};

/// Fits Gaussians to an island. It starts at the summits of find_seeds. Then it adds a Gaussian where the residual is
/// above the seed, at most fit.refine times. Gaussians that are unlikely are fitted with the shape of the beam, then
/// dropped. Work is bounded: eight Gaussians at most are fitted together; more are fitted in blocks of neighbours, with
/// the others subtracted, in two sweeps.
IslandGaussians fit_gaussians(const FitMap& map, const FitIsland& island, const FitRule& rule);

/// The sum of the Gaussians at a pixel.
double model_at(const std::vector<Fitted>& of, double x, double y);

}  // namespace srcextract
