#pragma once

#include <cstdint>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/crowd/crowd_stars.hpp"

namespace srcextract {

/// Returns a star for each island of connected saturated pixels, in raster order. `saturated` lists the pixels in
/// ascending order. The position is the mean of the island's pixels, the flux is `saturation` times the number of
/// pixels, and `core` is the radius of a circle of the same area.
std::vector<CrowdStar> find_saturated_cores(const std::vector<std::int64_t>& saturated, const Shape& shape,
                                            double saturation);

}  // namespace srcextract
