#pragma once

#include <cstdint>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/crowd/crowd_stars.hpp"

namespace srcextract {

/// A star for each island of saturated pixels, which come in ascending order: at the middle of the island, with the
/// least light that the island can have, and with the size of the island as `core`. Stars are in raster order.
std::vector<CrowdStar> find_saturated_cores(const std::vector<std::int64_t>& saturated, const Shape& shape,
                                            double saturation);

}  // namespace srcextract
