#pragma once

#include <vector>

#include "stages/fit/gaussian.hpp"
#include "stages/fit/island.hpp"
#include "stages/fit/noise_correlation.hpp"

namespace srcextract {

/// The conditions that a summit (find_seeds) must meet to become the start of a Gaussian.
struct SeedRule {
  GaussianShape beam;
  double least = 5;         ///< least pixel value at a summit, in units of the noise
  double threshold = 3;     ///< threshold of islands, in units of the noise
  double curved_noise = 1;  ///< noise_of_curvature(): noise of the curvature if the noise of a pixel is 1
  double ripple = 0;        ///< ripple_of_curvature() of the beam
};

/// Returns the noise of the curvature (find_seeds) of a map whose pixels have a noise of 1 with this correlation.
double noise_of_curvature(const NoiseCorrelation& correlation);

/// Returns the fraction by which the curvature (find_seeds) of a point source falls between two of its pixels, for an
/// elongated beam. Along the long axis of the beam, the centres of pixels are alternately on the ridge line and beside
/// it, which makes false summits. The result is 0 if the light falls so fast along the ridge that there are no false
/// summits.
double ripple_of_curvature(const GaussianShape& beam);

/// Returns the Gaussians from which the fit of an island (connected set of pixels above the threshold) starts, at least
/// one, the brightest first. Peaks are in units of the island's noise.
///
/// The curvature is the negative of the map convolved with [1 1 1; 1 -8 1; 1 1 1]. A summit is a local maximum of
/// curvature. A summit becomes a start if its curvature exceeds that of the highest saddle towards a higher summit (0
/// if there is none) by more than a limit. The limit is four times the noise of the curvature, plus the fraction
/// ripple_of_curvature() of the summit's own curvature. One of the 3 x 3 pixels around it must also be above
/// SeedRule::least. Curvature separates close sources whose summed light has only one maximum.
std::vector<Gaussian> find_seeds(const FitMap& map, const FitIsland& island, const SeedRule& rule);

}  // namespace srcextract
