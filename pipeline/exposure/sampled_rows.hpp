#pragma once

#include <cstdint>
#include <vector>

#include "stages/core/pixel_source.hpp"

namespace srcextract {

/// The given rows of a plane as a plane of that height. Rows in the memory of a GPU are copied to the host at once.
PixelSource rows_of(const PixelSource& plane, std::vector<std::int64_t> rows);

/// `count` evenly spaced rows of a plane as a plane of that height.
PixelSource rows_of(const PixelSource& plane, std::int64_t count);

}  // namespace srcextract
