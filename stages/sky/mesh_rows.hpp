#pragma once

#include <vector>

#include "stages/sky/mesh_spline.hpp"

namespace srcextract {

/// A map that a mesh describes, its level or its noise, as the host evaluates it: a row at a time.
class MeshRow {
 public:
  MeshRow(const MeshGrid& grid, const Buffer<float, Cpu>& nodes, const Buffer<float, Cpu>& bends)
      : grid_(grid), nodes_(nodes), bends_(bends), node_(static_cast<std::size_t>(grid.nodes.width)), bend_(node_) {}

  /// Goes to row y.
  void go_to(std::int64_t y);

  float at(std::int64_t x) const { return spline_at(node_.data(), bend_.data(), grid_.nodes.width, 1, grid_.mesh, x); }

  /// The whole row.
  void fill(float* out) const;

 private:
  const MeshGrid& grid_;
  const Buffer<float, Cpu>&nodes_, &bends_;
  std::vector<float> node_, bend_;
};

}  // namespace srcextract
