#pragma once

#include <algorithm>
#include <cstdint>

#include "stages/core/image.hpp"

namespace srcextract {

/// Returns the tile shape for writing a compressed image: whole rows, about 65536 pixels. Smaller tiles compress worse,
/// and larger tiles need more memory. Rows longer than 2^20 pixels are divided, because CFITSIO stores the number of
/// bytes of a tile in an int.
inline Shape tile_shape(const Shape& shape) {
  constexpr std::int64_t pixels = 65536, widest = std::int64_t{1} << 20;
  const std::int64_t width = std::min(shape.width, widest);
  return {width, std::clamp<std::int64_t>(pixels / width, 1, shape.height)};
}

}  // namespace srcextract
