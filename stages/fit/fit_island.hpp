#pragma once

#include <vector>

#include "stages/fit/fit_rule.hpp"
#include "stages/fit/fitted_row.hpp"
#include "stages/fit/island.hpp"
#include "stages/fit/normal_equations.hpp"

namespace srcextract {

/// The Gaussians fitted to an island (connected set of pixels above the threshold); `of` is empty if no fit was
/// possible.
struct IslandGaussians {
  std::vector<Fitted> of;      ///< in raster order of their start positions; peaks in units of the island's noise
  SymmetricMatrix covariance;  ///< covariance of the parameters of all Gaussians (BlockFit::find_covariance)
  std::int16_t flags = 0;      ///< bits of fit_flag that hold for all rows of the island
  std::int64_t rounds = 0;     ///< number of trial steps of all fits
  std::int64_t pixels = 0;     ///< number of fitted pixels, summed over the blocks (fit_gaussians)
  double chi2 = 0;             ///< sum of (residual / noise)^2, divided by the degrees of freedom
};

/// Fits Gaussians to an island, starting with the Gaussians of find_seeds(). Then, at most fit.refine times, a Gaussian
/// is added at the largest residual, and kept if the rms of the residuals falls. The largest residual must exceed
/// SeedRule::least, or only SeedRule::threshold if the rms of the residuals is 1.5 or more, in units of the noise.
///
/// Implausible Gaussians get the shape of the beam. Gaussians that remain implausible are removed. To limit the time,
/// at most eight Gaussians are fitted together. If there are more, neighbours are fitted in blocks of eight, with the
/// other Gaussians subtracted; each block is fitted twice. An island of more than fit.large pixels gets no Gaussians.
IslandGaussians fit_gaussians(const FitMap& map, const FitIsland& island, const FitRule& rule);

/// Returns the sum of the Gaussians `of` at pixel (x, y), in units of the island's noise.
double model_at(const std::vector<Fitted>& of, double x, double y);

}  // namespace srcextract
