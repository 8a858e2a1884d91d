#pragma once

#include <functional>
#include <vector>

#include "stages/crowd/crowd_fit.hpp"
#include "stages/crowd/fit_crowd.hpp"

namespace srcextract {

using FitWhole = std::function<CrowdFit(const CrowdImage& image, const PsfModel& psf,
                                        const std::vector<CrowdPlace>* places, CrowdPlanes kept)>;

/// Whether the image exceeds config.tile_size, so that fit_tiles() uses several tiles.
bool has_tiles(const CrowdImage& image, const CrowdConfig& config);

/// Fits the image tile by tile, so that only one tile is in memory. An image that does not exceed config.tile_size is
/// fitted as a whole.
///
/// Each tile is fitted together with surroundings whose width is that of a PSF stamp plus config.sky_size. Only stars
/// in the tile proper are kept. Tiles have about equal sizes of at most config.tile_size pixels.
///
/// In the statistics of a turn, numbers of stars are sums over all tiles, `rounds` is the maximum, and `noise` is the
/// mean.
CrowdFit fit_tiles(const CrowdImage& image, const PsfModel& psf, const CrowdConfig& config,
                   const std::vector<CrowdPlace>* places, CrowdPlanes kept, const FitWhole& fit);

}  // namespace srcextract
