#pragma once

#include <vector>

#include "stages/sky/mesh_spline.hpp"

namespace srcextract {

/// A map that a mesh describes, its level or its noise, as the host evaluates it: a row at a time.
class MeshRow {
 public:
  /// The splines of so many rows are made at once, of those from a multiple of it: along a row each number waits for
  /// the one before.
  static constexpr std::int64_t rows_at_once = 8;

  MeshRow(const MeshGrid& grid, const Buffer<float, Cpu>& nodes, const Buffer<float, Cpu>& bends)
      : grid_(grid), nodes_(nodes), bends_(bends) {}

  /// Goes to row y.
  void go_to(std::int64_t y);

  float at(std::int64_t x) const {
    return spline_at(node_.data() + row_, bend_.data() + row_, grid_.nodes.width, rows_at_once, grid_.mesh.width, x);
  }

  /// The whole row.
  void fill(float* out);

  /// What the pixels of that row have above it. `above` may be `pixels`.
  void subtract_from(const float* pixels, float* above);

 private:
  /// f(piece, the part of beyond_ that it is for, its first pixel, how many it has); with one column of meshes nothing.
  template <class F>
  void for_each_piece(const F& f);

  const MeshGrid& grid_;
  const Buffer<float, Cpu>&nodes_, &bends_;
  std::vector<float> node_, bend_;  ///< of each column of meshes those of rows_at_once rows
  std::int64_t first_ = -rows_at_once;
  std::int64_t row_ = 0;       ///< from the first of them
  std::vector<float> beyond_;  ///< how far each pixel is beyond the node before it, in every row; once a row is filled
};

}  // namespace srcextract
