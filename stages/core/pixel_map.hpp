#pragma once

#include <cstdint>
#include <vector>

#include "stages/core/image.hpp"

namespace srcextract {

/// Where the pixels of one grid lie in another: at nodes, every `step` pixels along x and y from pixel (0, 0) on, at
/// least one beyond the last pixel; bilinear between them. Positions are 0-based, of the centres of pixels; NaN where
/// there is none.
struct PixelMap {
  static constexpr std::int64_t step = 16;

  explicit PixelMap(Shape size = {})
      : shape(size), nodes{(size.width + step - 1) / step + 1, (size.height + step - 1) / step + 1} {}

  Shape shape;               ///< of the grid that is mapped
  Shape nodes;               ///< how many there are
  std::vector<double> x, y;  ///< of every node, in raster order
};

}  // namespace srcextract
