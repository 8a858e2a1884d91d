#pragma once

#include <cstdint>
#include <vector>

#include "stages/core/image.hpp"

namespace srcextract {

/// Positions of one grid's pixels in another grid. They are stored at nodes, and interpolated bilinearly between nodes.
/// Nodes stand every `step` pixels along x and y from pixel (0, 0), at least one beyond the last pixel. Positions are
/// 0-based and refer to pixel centres; NaN: the pixel has no counterpart.
struct PixelMap {
  static constexpr std::int64_t step = 16;

  explicit PixelMap(Shape size = {})
      : shape(size), nodes{(size.width + step - 1) / step + 1, (size.height + step - 1) / step + 1} {}

  Shape shape;               ///< size of the mapped grid
  Shape nodes;               ///< number of nodes along x and y
  std::vector<double> x, y;  ///< position of every node, in raster order
};

}  // namespace srcextract
