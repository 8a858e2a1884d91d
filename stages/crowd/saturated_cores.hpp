#pragma once

#include <vector>

#include "stages/crowd/crowd_field.hpp"

namespace srcextract {

/// A star for each island of saturated pixels, in raster order: at the middle of the island, with the light that the
/// island has at least, and with its size as `core`.
std::vector<CrowdStar> find_saturated_cores(const CrowdField& field);

}  // namespace srcextract
