#pragma once

#include <functional>
#include <vector>

#include "stages/crowd/crowd_fit.hpp"
#include "stages/crowd/fit_crowd.hpp"

namespace srcextract {

using FitWhole = std::function<CrowdFit(const CrowdImage& image, const PsfModel& psf,
                                        const std::vector<CrowdPlace>* places, CrowdPlanes kept)>;

/// Whether a side of the image exceeds config.tile_size, so that fit_tiles() uses several tiles. False if tile_size is
/// 0.
bool has_tiles(const CrowdImage& image, const CrowdConfig& config);

/// Fits the image tile by tile, so that only one tile is in memory. If has_tiles() is false, the image is fitted as a
/// whole.
///
/// Each tile is fitted together with surroundings whose width is that of a PSF stamp plus config.sky_size. Kept stars
/// are in the tile proper, or outside by at most crowd_separation. If two tiles have found a star, only the earlier
/// tile's row is kept. Tiles have about equal sides of at most config.tile_size pixels.
///
/// In the statistics of a turn, numbers of stars are sums over all tiles, `rounds` is the maximum, and `noise` is the
/// mean.
CrowdFit fit_tiles(const CrowdImage& image, const PsfModel& psf, const CrowdConfig& config,
                   const std::vector<CrowdPlace>* places, CrowdPlanes kept, const FitWhole& fit);

}  // namespace srcextract
