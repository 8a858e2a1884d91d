#pragma once

#include "cuda/device/memory.hpp"
#include "stages/sky/mesh_spline.hpp"

namespace srcextract {

/// A map of the sky level or noise, as kernels read it: values and second derivatives at each column of mesh nodes, for
/// every image row. The values of one column are consecutive in memory.
struct MeshMap {
  const float *nodes, *bends;
  std::int64_t count, height, mesh;
  MeshScale scale;
  bool bounded;

  __device__ float at(std::int64_t x, std::int64_t y) const {
    return spline_at(nodes + y, bends + y, count, height, mesh, x, bounded);
  }
};

/// Evaluates a map at four consecutive pixels of a row; x of the first pixel is a multiple of 4. If the four pixels do
/// not lie between the same two columns of nodes, each pixel is evaluated separately. This happens only if the width of
/// a mesh is no multiple of 8, or if the map has a single column of nodes.
class FourColumns {
 public:
  __device__ FourColumns(const MeshMap& map, std::int64_t x)
      : x_(x), before_(map.count > 1 ? node_before(x, map.mesh, map.count) : 0) {
    together_ = map.count > 1 && (map.mesh % 8 == 0 || node_before(x + 3, map.mesh, map.count) == before_);
#pragma unroll
    for (int k = 0; k < 4; ++k)
      beyond_[k] = SplinePiece::beyond(static_cast<float>(x + k), map.scale, static_cast<float>(before_));
  }

  /// Returns the four values in row y of `map`: the map given to the constructor, or another map with the same meshes.
  __device__ float4 at(const MeshMap& map, std::int64_t y) const {
    if (!together_) return {map.at(x_, y), map.at(x_ + 1, y), map.at(x_ + 2, y), map.at(x_ + 3, y)};
    const SplinePiece piece(map.nodes + y, map.bends + y, before_, map.height);
    return {piece.at(beyond_[0], map.bounded), piece.at(beyond_[1], map.bounded), piece.at(beyond_[2], map.bounded),
            piece.at(beyond_[3], map.bounded)};
  }

 private:
  std::int64_t x_, before_;
  float beyond_[4];
  bool together_;
};

/// Owns the memory of a MeshMap: with meshes 64 pixels wide, 1/32 of the image's memory.
class MeshRows {
 public:
  MeshRows(const MeshGrid& grid, const Buffer<float, Gpu>& nodes, const Buffer<float, Gpu>& bends, bool bounded,
           const Gpu& where);

  static MeshRows of_level(const SkyMesh<Gpu>& mesh, const Gpu& where) {
    return {mesh.grid, mesh.level, mesh.level_bend, mesh.level_bounded, where};
  }
  static MeshRows of_rms(const SkyMesh<Gpu>& mesh, const Gpu& where) {
    return {mesh.grid, mesh.rms, mesh.rms_bend, mesh.rms_bounded, where};
  }

  MeshMap map() const {
    return {nodes_.data(),     bends_.data(),
            grid_.nodes.width, grid_.image.height,
            grid_.mesh.width,  MeshScale(grid_.mesh.width),
            bounded_};
  }

 private:
  MeshGrid grid_;
  bool bounded_;
  Buffer<float, Gpu> nodes_, bends_;
};

}  // namespace srcextract
