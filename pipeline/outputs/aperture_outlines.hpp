#pragma once

#include <cstdint>
#include <vector>

#include "stages/catalogue/sources.hpp"
#include "stages/core/image.hpp"
#include "stages/settings/measurement.hpp"

namespace srcextract {

/// Indices of the pixels in rows [begin, end) that the outlines of apertures cross, in ascending order. A pixel that n
/// outlines cross appears n times. The outlines are the circles of `measurement.apertures` if the catalogue has fluxes
/// in circles, and the ellipses that KRON_RADIUS or PETRO_RADIUS describes. Sources with an unknown position or shape
/// are left out.
std::vector<std::int64_t> aperture_outlines(const Sources& sources, const MeasurementConfig& measurement,
                                            const Shape& shape, std::int64_t begin, std::int64_t end);

}  // namespace srcextract
