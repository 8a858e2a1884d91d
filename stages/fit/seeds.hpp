#pragma once

#include <vector>

#include "stages/fit/gaussian.hpp"
#include "stages/fit/island.hpp"
#include "stages/fit/noise_correlation.hpp"

namespace srcextract {

/// Requirements that a summit meets to start a Gaussian.
struct SeedRule {
  GaussianShape beam;
  double least = 5;         ///< height above the level, in units of the noise
  double threshold = 3;     ///< lowest value of an island's pixels, in the same units
  double curved_noise = 1;  ///< noise of curvatures of a map whose pixels have the noise 1 (noise_of_curvature)
  double ripple = 0;        ///< ripple_of_curvature
};

/// The noise of the curvature of a map whose pixels have a noise of 1.
double noise_of_curvature(const NoiseCorrelation& correlation);

/// By how much the curvature along the ridge of the beam falls and rises again, over its value: pixels lie on the ridge
/// and beside it in turn. 0 for beams that fall faster along the ridge than this.
double ripple_of_curvature(const GaussianShape& beam);

/// The Gaussians from which the fit of an island starts, brightest first; at least one. The map is convolved with
/// [1 1 1; 1 -8 1; 1 1 1]: the negative result is the curvature. A summit is a maximum of curvature that stands out
/// from the curvature around it by four times its noise and by the ripple, with a pixel above the seed. Values are in
/// units of the island's noise. Curvature parts neighbours that have one maximum of light.
std::vector<Gaussian> find_seeds(const FitMap& map, const FitIsland& island, const SeedRule& rule);

}  // namespace srcextract
