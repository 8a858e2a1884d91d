#pragma once

#include <memory>
#include <vector>

#include "stages/sky/mesh_rows.hpp"

namespace srcextract {

/// Evaluates a map that a mesh describes by a spline (level or noise) at single pixels, in any order. Each group of
/// MeshRow::rows_at_once image rows is computed at its first use and then kept.
class MapOfMesh {
 public:
  /// `empty`: MeshRow::of_level() or MeshRow::of_rms() of the mesh.
  MapOfMesh(const MeshRow& empty, std::int64_t height)
      : empty_(empty), rows_(static_cast<std::size_t>(height / MeshRow::rows_at_once + 1)) {}

  static MapOfMesh of_level(const SkyMesh<Cpu>& mesh) { return {MeshRow::of_level(mesh), mesh.grid.image.height}; }
  static MapOfMesh of_rms(const SkyMesh<Cpu>& mesh) { return {MeshRow::of_rms(mesh), mesh.grid.image.height}; }

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
