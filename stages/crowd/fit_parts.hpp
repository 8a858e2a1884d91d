#pragma once

#include "stages/crowd/crowd_tiles.hpp"

namespace srcextract {

/// The rules of fit_crowd() that both back ends share: fits the image in its unit (CrowdUnit), tile by tile
/// (fit_tiles), and once more with added stars if config.inject asks for them (inject_stars). `image` is on the host.
/// `fit` fits one tile.
CrowdFit fit_parts(const CrowdImage& image, const PsfModel& psf, const CrowdConfig& config,
                   const std::vector<CrowdPlace>* places, CrowdPlanes kept, const FitWhole& fit);

}  // namespace srcextract
