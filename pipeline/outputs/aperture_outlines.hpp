#pragma once

#include <cstdint>
#include <vector>

#include "stages/catalogue/sources.hpp"
#include "stages/core/image.hpp"
#include "stages/settings/measurement.hpp"

namespace srcextract {

/// Lists the pixels in rows [begin, end) that outlines of apertures cross, sorted; a pixel appears once for each
/// outline. The outlines are the circles of `measurement.apertures`, if the catalogue has their fluxes, and ellipses if
/// it has KRON_RADIUS or PETRO_RADIUS. A source whose position or shape is unknown has none.
std::vector<std::int64_t> aperture_outlines(const Sources& sources, const MeasurementConfig& measurement,
                                            const Shape& shape, std::int64_t begin, std::int64_t end);

}  // namespace srcextract
