#pragma once

#include <cstdint>
#include <vector>

#include "stages/crowd/crowd_stars.hpp"
#include "stages/crowd/sky_nodes.hpp"

namespace srcextract {

/// Facts about one turn of fit_crowd().
struct CrowdTurn {
  std::int64_t found = 0, stars = 0;  ///< new stars, and all after the turn
  std::int64_t rounds = 0;            ///< rounds of conjugate gradients
  double noise = 0;                   ///< of a sky pixel
};

/// The results for added stars (crowd.inject) of a range of brightness.
struct CrowdBin {
  double flux = 0;  ///< flux in the middle of the bin
  std::int64_t added = 0, found = 0;
  double bias = 0, scatter = 0;  ///< of measured minus true flux of found stars: median, and 1.4826 MAD about it

  double completeness() const { return added > 0 ? static_cast<double>(found) / static_cast<double>(added) : 0; }
};

/// All stars of an image.
struct CrowdFit {
  std::vector<CrowdRow> rows;
  std::vector<CrowdTurn> turns;
  std::vector<CrowdBin> bins;                  ///< one per range of brightness, if stars were added
  double noise = 0;                            ///< of a typical pixel of the sky
  double fwhm = 0;                             ///< FWHM of the PSF in the middle of the image
  SkyNodes sky;                                ///< fitted sky, above the level that was subtracted before
  std::vector<float> model, residual, weight;  ///< per pixel; weight: 0 where a pixel does not count
  double weight_unit = 1;                      ///< `weight` belongs to pixel values multiplied by this
};

}  // namespace srcextract
