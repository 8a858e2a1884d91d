#pragma once

#include <functional>
#include <vector>

#include "stages/crowd/crowd_fit.hpp"
#include "stages/crowd/fit_crowd.hpp"

namespace srcextract {

/// Fits an image without dividing it.
using FitWhole =
    std::function<CrowdFit(const CrowdImage& image, const PsfModel& psf, const std::vector<CrowdPlace>* places)>;

/// As `fit` of the whole image, but tile by tile, of which one at a time is in memory. Tiles are fitted together with
/// their surroundings, as wide as the PSF and a square of the sky, and each gives the rows of its own stars. They are
/// as equal as the image allows and at most config.tile_size wide. Counts of turns are those of all tiles together.
CrowdFit fit_tiles(const CrowdImage& image, const PsfModel& psf, const CrowdConfig& config,
                   const std::vector<CrowdPlace>* places, const FitWhole& fit);

/// Whether the image is larger than a tile.
bool has_tiles(const CrowdImage& image, const CrowdConfig& config);

}  // namespace srcextract
