#pragma once

#include <cstdint>
#include <optional>

#include "pipeline/exposure/padding_regions.hpp"
#include "stages/core/pixel_source.hpp"

namespace srcextract {

/// Looks at the first and the last row of a plane, and at the ends of some rows between. Returns an empty
/// PaddingRegions with the values that may be padding there, or nothing if there are none. `together`: number of rows
/// that are decompressed together. With `zeros`, 0 is always looked for.
std::optional<PaddingRegions> look_for_padding(const PixelSource& plane, std::int64_t together, bool zeros);

}  // namespace srcextract
