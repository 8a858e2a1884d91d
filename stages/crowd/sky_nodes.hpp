#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "stages/core/image.hpp"

namespace srcextract {

/// The sky as a grid of nodes, linear in x and y between them. Squares are as equal as the image allows.
struct SkyNodes {
  std::int32_t columns = 2, rows = 2;
  double side_x = 1, side_y = 1;
  std::vector<double> level;

  SkyNodes() = default;
  SkyNodes(const Shape& shape, std::int64_t size) {
    const auto cells = [&](std::int64_t pixels) { return std::max<std::int64_t>(1, (pixels + size / 2) / size); };
    columns = static_cast<std::int32_t>(cells(shape.width)) + 1;
    rows = static_cast<std::int32_t>(cells(shape.height)) + 1;
    side_x = static_cast<double>(shape.width) / (columns - 1);
    side_y = static_cast<double>(shape.height) / (rows - 1);
    level.assign(static_cast<std::size_t>(std::int64_t{columns} * rows), 0.0);
  }

  std::int64_t count() const { return std::int64_t{columns} * rows; }
  std::int32_t node(std::int32_t column, std::int32_t row) const { return row * columns + column; }

  /// The cell of a pixel along an axis, and its place in that, from 0 to 1.
  struct Place {
    std::int32_t cell;
    double part;
  };
  Place along_x(double x) const { return along(x, side_x, columns); }
  Place along_y(double y) const { return along(y, side_y, rows); }

  /// The first pixel of a cell.
  std::int32_t first_x(std::int32_t cell) const { return first(cell, side_x); }
  std::int32_t first_y(std::int32_t cell) const { return first(cell, side_y); }

  double at(double x, double y) const { return at(along_x(x), along_y(y)); }
  double at(const Place& of_x, const Place& of_y) const {
    const auto corner = [&](std::int32_t right, std::int32_t down) {
      return level[static_cast<std::size_t>(node(of_x.cell + right, of_y.cell + down))];
    };
    const double above = corner(0, 0) + of_x.part * (corner(1, 0) - corner(0, 0));
    const double below = corner(0, 1) + of_x.part * (corner(1, 1) - corner(0, 1));
    return above + of_y.part * (below - above);
  }

 private:
  static Place along(double at, double side, std::int32_t nodes) {
    const double place = (at + 0.5) / side, cell = std::clamp(std::floor(place), 0.0, nodes - 2.0);
    return {static_cast<std::int32_t>(cell), place - cell};
  }
  /// The first pixel whose middle is in the cell.
  static std::int32_t first(std::int32_t cell, double side) {
    auto pixel = static_cast<std::int32_t>(std::ceil(cell * side - 0.5));
    return pixel < 0 ? 0 : pixel;
  }
};

}  // namespace srcextract
