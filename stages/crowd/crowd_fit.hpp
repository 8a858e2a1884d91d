#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "stages/crowd/crowd_stars.hpp"
#include "stages/crowd/sky_nodes.hpp"

namespace srcextract {

/// Statistics of one turn of fit_crowd(). A turn searches the residual for new stars and then fits all stars and the
/// sky.
struct CrowdTurn {
  std::int64_t found = 0, stars = 0;  ///< number of new stars, and of all stars after the turn
  std::int64_t rounds = 0;            ///< number of iterations of conjugate gradients
  double noise = 0;                   ///< standard deviation of a sky pixel
};

/// The results for artificial stars (crowd.inject) in a range of flux.
struct CrowdBin {
  double flux = 0;  ///< flux in the middle of the range, on a logarithmic scale
  std::int64_t added = 0, found = 0;
  /// for found stars, median of (measured - true flux), and 1.4826 times the median absolute deviation from this
  /// median; NaN if fewer than five were found
  double bias = std::numeric_limits<double>::quiet_NaN(), scatter = bias;

  double completeness() const { return added > 0 ? static_cast<double>(found) / static_cast<double>(added) : 0; }
};

/// The result of the fit of an image.
struct CrowdFit {
  std::vector<CrowdRow> rows;
  std::vector<CrowdTurn> turns;
  std::vector<CrowdBin> bins;  ///< one per range of flux, if artificial stars were added
  double noise = 0;            ///< standard deviation of a typical sky pixel
  double shared_noise = 1;     ///< factor of errors, since pixels share their noise (stages/crowd/shared_noise.hpp)
  /// What the search takes for stars in the negative of the residual: nothing there is light, so that about as many
  /// rows are noise or structure.
  std::vector<CrowdStar> negatives;
  double fwhm = 0;  ///< FWHM of the PSF in the middle of the image
  SkyNodes sky;     ///< fitted sky, relative to the level that was subtracted before
  /// one element per pixel, or empty (CrowdPlanes::none); the weight is 0 for pixels that the fit ignores
  std::vector<float> model, residual, weight;
  double weight_unit = 1;  ///< `weight` is the inverse variance of pixel values multiplied by this factor
};

}  // namespace srcextract
