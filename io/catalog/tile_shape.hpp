#pragma once

#include <algorithm>
#include <cstdint>

#include "stages/core/image.hpp"

namespace srcextract {

/// The tiles of a compressed image that is written: whole rows, enough for short ones to compress well, little to hold.
/// Longer rows are cut: CFITSIO holds the size of a tile in bytes in an int.
inline Shape tile_shape(const Shape& shape) {
  constexpr std::int64_t pixels = 65536, widest = std::int64_t{1} << 20;
  const std::int64_t width = std::min(shape.width, widest);
  return {width, std::clamp<std::int64_t>(pixels / width, 1, shape.height)};
}

}  // namespace srcextract
