#pragma once

#include <cstdint>
#include <vector>

#include "stages/core/pixel_source.hpp"

namespace srcextract {

/// The indices of `count` rows that are evenly spaced over `height`, in ascending order. If `together` rows are
/// decompressed together, about that many rows of few such bands: of 8, or of as many as have that many rows.
std::vector<std::int64_t> spread_rows(std::int64_t height, std::int64_t count, std::int64_t together = 1);

/// Number of whole rows that can be read at once: the bands that are decompressed together if they are small, else a
/// part of a band.
std::int64_t rows_at_once(const Shape& shape, std::int64_t together);

/// The given rows of a plane as a plane of that height. Rows in the memory of a GPU are copied to the host at once.
PixelSource rows_of(const PixelSource& plane, std::vector<std::int64_t> rows);

/// `count` evenly spaced rows of a plane as a plane of that height.
PixelSource rows_of(const PixelSource& plane, std::int64_t count);

}  // namespace srcextract
