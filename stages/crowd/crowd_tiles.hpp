#pragma once

#include <functional>
#include <vector>

#include "stages/crowd/crowd_fit.hpp"
#include "stages/crowd/fit_crowd.hpp"

namespace srcextract {

/// Fits an image without dividing it.
using FitWhole = std::function<CrowdFit(const CrowdImage& image, const PsfModel& psf,
                                        const std::vector<CrowdPlace>* places, CrowdPlanes kept)>;

/// Whether the image is larger than a tile.
bool has_tiles(const CrowdImage& image, const CrowdConfig& config);

/// Fits the image tile by tile, so that one tile at a time is in memory. An image no larger than a tile is fitted at
/// once. Each tile is fitted together with its surroundings, which are as wide as the PSF and a square of the sky. Rows
/// are kept only for stars in the tile itself. Tiles are as equal as the image allows, and at most config.tile_size
/// wide. In a turn, numbers of stars are sums over all tiles, rounds the most of any tile, and the noise is a mean.
CrowdFit fit_tiles(const CrowdImage& image, const PsfModel& psf, const CrowdConfig& config,
                   const std::vector<CrowdPlace>* places, CrowdPlanes kept, const FitWhole& fit);

}  // namespace srcextract
