#pragma once

#include "cuda/device/memory.hpp"
#include "stages/sky/mesh_spline.hpp"

namespace srcextract {

/// A map that a mesh describes, for kernels: the nodes of every row of the image and their bends, those of a column of
/// meshes one after another.
struct MeshMap {
  const float *nodes, *bends;
  std::int64_t count, height, mesh;

  __device__ float at(std::int64_t x, std::int64_t y) const {
    return spline_at(nodes + y, bends + y, count, height, mesh, x);
  }
};

/// The memory of a map: at meshes of 64 pixels a thirty-second of the image's.
class MeshRows {
 public:
  MeshRows(const MeshGrid& grid, const Buffer<float, Gpu>& nodes, const Buffer<float, Gpu>& bends, const Gpu& where);

  MeshMap map() const { return {nodes_.data(), bends_.data(), grid_.nodes.width, grid_.image.height, grid_.mesh}; }

 private:
  MeshGrid grid_;
  Buffer<float, Gpu> nodes_, bends_;
};

}  // namespace srcextract
