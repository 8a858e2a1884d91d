#pragma once

#include <vector>

#include "stages/sky/mesh_spline.hpp"

namespace srcextract {

/// Evaluates a map that a mesh describes by a spline (level or noise), row by row on the CPU.
class MeshRow {
 public:
  /// Number of image rows whose splines along x are computed together. Along one row each step of the recursion waits
  /// for the previous step, so a single row would leave the vector units idle.
  static constexpr std::int64_t rows_at_once = 8;

  MeshRow(const MeshGrid& grid, const Buffer<float, Cpu>& nodes, const Buffer<float, Cpu>& bends, bool bounded)
      : grid_(grid), nodes_(nodes), bends_(bends), bounded_(bounded) {}

  static MeshRow of_level(const SkyMesh<Cpu>& mesh) {
    return {mesh.grid, mesh.level, mesh.level_bend, mesh.level_bounded};
  }
  static MeshRow of_rms(const SkyMesh<Cpu>& mesh) { return {mesh.grid, mesh.rms, mesh.rms_bend, mesh.rms_bounded}; }

  void go_to(std::int64_t y);

  float at(std::int64_t x) const { return at(x, first_ + row_); }

  /// The value at pixel x in row y. `y` must be in the same group of rows_at_once rows as the current row.
  float at(std::int64_t x, std::int64_t y) const {
    const std::int64_t row = y - first_;
    return spline_at(node_.data() + row, bend_.data() + row, grid_.nodes.width, rows_at_once, grid_.mesh.width, x,
                     bounded_);
  }

  /// Writes the map's values for the current row.
  void fill(float* out);

  /// Subtracts the map from the pixels of the current row. `above` receives the result and may be `pixels`.
  void subtract_from(const float* pixels, float* above);

 private:
  /// Calls f(piece, beyond, x, count) for each piece of the spline along the row, the part between two nodes. The piece
  /// covers `count` pixels from x on, and `beyond` points to the elements of beyond_ for these pixels. With a single
  /// column of meshes there are no pieces.
  template <class F>
  void for_each_piece(const F& f);

  const MeshGrid& grid_;
  const Buffer<float, Cpu>&nodes_, &bends_;
  bool bounded_;
  std::vector<float> node_, bend_;  ///< for each column of nodes, the values in rows_at_once image rows
  std::int64_t first_ = -rows_at_once;
  std::int64_t row_ = 0;       ///< the current row minus first_
  std::vector<float> beyond_;  ///< SplinePiece::beyond() of each pixel of a row; equal in all rows. Empty until first
                               ///< used.
};

}  // namespace srcextract
