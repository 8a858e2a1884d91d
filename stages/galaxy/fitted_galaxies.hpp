#pragma once

#include <vector>

#include "stages/core/image.hpp"
#include "stages/galaxy/galaxy_row.hpp"

namespace srcextract {

/// The fits of all sources of an image.
struct FittedGalaxies {
  GalaxyModel model;
  std::vector<GalaxyRow> rows;  ///< one per source
  Image<float, Cpu> light;      ///< sum of all models, as the PSF blurs them; empty unless asked for
};

}  // namespace srcextract
