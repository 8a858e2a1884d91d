#pragma once

#include "stages/crowd/crowd_tiles.hpp"

namespace srcextract {

/// The part of fit_crowd() that host and device share. Converts the image to the unit of the fit (CrowdUnit) and fits
/// the image tile by tile (fit_tiles). If config.inject is above 0 and `places` is null, fits the image again with
/// artificial stars (inject_stars). `image` is in host memory. `fit` fits one tile.
CrowdFit fit_parts(const CrowdImage& image, const PsfModel& psf, const CrowdConfig& config,
                   const std::vector<CrowdPlace>* places, CrowdPlanes kept, const FitWhole& fit);

}  // namespace srcextract
