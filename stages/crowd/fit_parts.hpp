#pragma once

#include "stages/crowd/crowd_tiles.hpp"

namespace srcextract {

/// The rules of fit_crowd() that both back ends share. It fits the image in its unit (CrowdUnit), tile by tile
/// (fit_tiles). If config.inject is above 0 and `places` is null, it fits the image again with added stars
/// (inject_stars). `image` is on the host. `fit` fits one tile.
CrowdFit fit_parts(const CrowdImage& image, const PsfModel& psf, const CrowdConfig& config,
                   const std::vector<CrowdPlace>* places, CrowdPlanes kept, const FitWhole& fit);

}  // namespace srcextract
