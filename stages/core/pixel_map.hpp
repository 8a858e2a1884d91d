#pragma once

#include <cstdint>
#include <vector>

#include "stages/core/image.hpp"

namespace srcextract {

/// For each pixel of a grid, the position in another grid. Positions are stored at nodes and interpolated bilinearly
/// between nodes. Nodes are `step` pixels apart along x and y, from pixel (0, 0) to at least one pixel beyond the last.
/// Positions count from 0, and whole numbers are pixel centres. NaN: the pixel has no counterpart.
struct PixelMap {
  static constexpr std::int64_t step = 16;

  explicit PixelMap(Shape size = {})
      : shape(size), nodes{(size.width + step - 1) / step + 1, (size.height + step - 1) / step + 1} {}

  Shape shape;               ///< size of the mapped grid
  Shape nodes;               ///< number of nodes along x and y
  std::vector<double> x, y;  ///< position of every node in the other grid; node (i, j) has index j * nodes.width + i
};

}  // namespace srcextract
