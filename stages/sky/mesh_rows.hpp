#pragma once

#include <vector>

#include "stages/sky/mesh_spline.hpp"

namespace srcextract {

/// Evaluates a map described by a mesh, of level or noise, row by row on the host.
class MeshRow {
 public:
  /// The splines of this many rows are made together, the first of them a multiple of it. Within one row each number
  /// has to wait for the previous one.
  static constexpr std::int64_t rows_at_once = 8;

  MeshRow(const MeshGrid& grid, const Buffer<float, Cpu>& nodes, const Buffer<float, Cpu>& bends)
      : grid_(grid), nodes_(nodes), bends_(bends) {}

  /// Makes row y the current row.
  void go_to(std::int64_t y);

  float at(std::int64_t x) const { return at(x, first_ + row_); }

  /// The value at pixel x in row y, which must be in the same group of rows_at_once rows as the current row.
  float at(std::int64_t x, std::int64_t y) const {
    const std::int64_t row = y - first_;
    return spline_at(node_.data() + row, bend_.data() + row, grid_.nodes.width, rows_at_once, grid_.mesh.width, x);
  }

  /// Writes the whole current row of the map.
  void fill(float* out);

  /// Subtracts the map from the pixels of the current row. `above` may be `pixels`.
  void subtract_from(const float* pixels, float* above);

 private:
  /// Calls f(piece, beyond, x, count) for each piece of the spline, which covers `count` pixels from x on. `beyond` is
  /// the part of beyond_ for these pixels. With one column of meshes there are no pieces.
  template <class F>
  void for_each_piece(const F& f);

  const MeshGrid& grid_;
  const Buffer<float, Cpu>&nodes_, &bends_;
  std::vector<float> node_, bend_;  ///< for each column of nodes, values in rows_at_once image rows
  std::int64_t first_ = -rows_at_once;
  std::int64_t row_ = 0;       ///< the current row, counted from first_
  std::vector<float> beyond_;  ///< SplinePiece::beyond() of each pixel of a row, equal in all rows; empty at first
};

}  // namespace srcextract
