#pragma once

#include <memory>
#include <vector>

#include "stages/sky/mesh_rows.hpp"

namespace srcextract {

/// Evaluates a map that a mesh describes by a spline (level or noise) at single pixels, in any order. Each group of
/// MeshRow::rows_at_once image rows is computed at its first use and then kept.
class MapOfMesh {
 public:
  MapOfMesh(const MeshGrid& grid, const Buffer<float, Cpu>& nodes, const Buffer<float, Cpu>& bends)
      : empty_(grid, nodes, bends), rows_(static_cast<std::size_t>(grid.image.height / MeshRow::rows_at_once + 1)) {}

  float at(std::int64_t x, std::int64_t y) {
    std::unique_ptr<MeshRow>& row = rows_[static_cast<std::size_t>(y / MeshRow::rows_at_once)];
    if (!row) row = std::make_unique<MeshRow>(empty_);
    row->go_to(y);
    return row->at(x);
  }

 private:
  MeshRow empty_;
  std::vector<std::unique_ptr<MeshRow>> rows_;
};

}  // namespace srcextract
