#pragma once

#include <vector>

#include "stages/fit/gaussian.hpp"
#include "stages/fit/island.hpp"
#include "stages/fit/noise_correlation.hpp"

namespace srcextract {

/// The conditions that a summit must meet to become the start of a Gaussian.
struct SeedRule {
  GaussianShape beam;
  double least = 5;         ///< least value above the level, in units of the noise
  double threshold = 3;     ///< lowest value of an island's pixels above the level, in units of the noise
  double curved_noise = 1;  ///< noise of the curvature for a pixel noise of 1 (noise_of_curvature)
  double ripple = 0;        ///< ripple_of_curvature
};

/// The noise of the curvature (find_seeds) of a map whose pixels have a noise of 1.
double noise_of_curvature(const NoiseCorrelation& correlation);

/// By which fraction the curvature falls and rises again along the long axis of an elongated beam, since pixels lie on
/// its ridge and beside it in turn. It is 0 for beams whose light falls faster along the ridge.
double ripple_of_curvature(const GaussianShape& beam);

/// Finds the Gaussians from which the fit of an island starts, brightest first; at least one. The curvature is the
/// negative of the map convolved with [1 1 1; 1 -8 1; 1 1 1]. A summit is a maximum of curvature that stands out from
/// the curvature around it by four times its noise and by the ripple. One of the 3 x 3 pixels around it must be above
/// SeedRule::least. Values are in units of the island's noise. Curvature separates close sources that have only one
/// maximum of light together.
std::vector<Gaussian> find_seeds(const FitMap& map, const FitIsland& island, const SeedRule& rule);

}  // namespace srcextract
