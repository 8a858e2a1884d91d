#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "stages/core/host_device.hpp"
#include "stages/core/image.hpp"

namespace srcextract {

/// A grid of nodes at which the sky level is fitted. Between nodes the sky is bilinear. The cells between nodes have
/// equal sizes, as near to `size` pixels as whole numbers of cells allow.
struct SkyGrid {
  std::int32_t columns = 2, rows = 2;  ///< numbers of nodes along x and y
  double side_x = 1, side_y = 1;

  SkyGrid() = default;
  SkyGrid(const Shape& shape, std::int64_t size) {
    const auto cells = [&](std::int64_t pixels) { return std::max<std::int64_t>(1, (pixels + size / 2) / size); };
    columns = static_cast<std::int32_t>(cells(shape.width)) + 1;
    rows = static_cast<std::int32_t>(cells(shape.height)) + 1;
    side_x = static_cast<double>(shape.width) / (columns - 1);
    side_y = static_cast<double>(shape.height) / (rows - 1);
  }

  SRCEXTRACT_HOST_DEVICE std::int64_t count() const { return std::int64_t{columns} * rows; }
  SRCEXTRACT_HOST_DEVICE std::int32_t node(std::int32_t column, std::int32_t row) const {
    return row * columns + column;
  }

  /// The cell that contains a position along an axis, and the position in the cell from 0 to 1.
  struct Place {
    std::int32_t cell;
    double part;
  };
  SRCEXTRACT_HOST_DEVICE Place along_x(double x) const { return along(x, side_x, columns); }
  SRCEXTRACT_HOST_DEVICE Place along_y(double y) const { return along(y, side_y, rows); }

  /// The first pixel of a column (or row) of cells: the first pixel for which along_x() (or along_y()) returns this
  /// cell.
  SRCEXTRACT_HOST_DEVICE std::int32_t first_x(std::int32_t cell) const { return first(cell, side_x, columns); }
  SRCEXTRACT_HOST_DEVICE std::int32_t first_y(std::int32_t cell) const { return first(cell, side_y, rows); }

  /// The sky at a position, bilinear between the levels of the nodes.
  SRCEXTRACT_HOST_DEVICE double between(const double* level, const Place& of_x, const Place& of_y) const {
    const double* const above_left = level + node(of_x.cell, of_y.cell);
    const double* const below_left = above_left + columns;
    const double above = above_left[0] + of_x.part * (above_left[1] - above_left[0]);
    const double below = below_left[0] + of_x.part * (below_left[1] - below_left[0]);
    return above + of_y.part * (below - above);
  }

 private:
  static SRCEXTRACT_HOST_DEVICE Place along(double at, double side, std::int32_t nodes) {
    const double place = (at + 0.5) / side;
    double cell = std::floor(place);
    if (!(cell > 0)) cell = 0;
    if (cell > nodes - 2.0) cell = nodes - 2.0;
    return {static_cast<std::int32_t>(cell), place - cell};
  }
  static SRCEXTRACT_HOST_DEVICE std::int32_t first(std::int32_t cell, double side, std::int32_t nodes) {
    if (cell <= 0) return 0;
    const auto pixel = static_cast<std::int32_t>(std::ceil(cell * side - 0.5));
    if (cell + 1 >= nodes) return pixel;
    // Rounding can put a pixel whose centre is at a node into either cell.
    if (along(pixel - 1.0, side, nodes).cell >= cell) return pixel - 1;
    return along(pixel, side, nodes).cell < cell ? pixel + 1 : pixel;
  }
};

struct SkyNodes : SkyGrid {
  std::vector<double> level;

  SkyNodes() = default;
  SkyNodes(const Shape& shape, std::int64_t size) : SkyGrid(shape, size) {
    level.assign(static_cast<std::size_t>(count()), 0.0);
  }

  double at(double x, double y) const { return at(along_x(x), along_y(y)); }
  double at(const Place& of_x, const Place& of_y) const { return between(level.data(), of_x, of_y); }
};

}  // namespace srcextract
