#pragma once

#include <optional>

#include "cuda/sky/mesh_rows.hpp"
#include "stages/detect/noise_map.hpp"

namespace srcextract {

/// The standard deviation of the noise at every pixel, as kernels read it: from a variance map, or else from a mesh.
struct NoiseOfPixels {
  MeshMap mesh;           ///< nodes are null if the noise does not come from a mesh
  const float* variance;  ///< null if the noise does not come from a variance map
  std::int64_t width;

  /// Whether the noise differs from pixel to pixel.
  __device__ bool varies() const { return variance != nullptr || mesh.nodes != nullptr; }

  __device__ float at(std::int64_t x, std::int64_t y) const {
    return variance != nullptr ? std::sqrt(__ldg(variance + y * width + x)) : mesh.at(x, y);
  }
};

/// Owns the memory to which a NoiseOfPixels refers. The variance map itself belongs to the caller.
class NoiseRows {
 public:
  NoiseRows(const NoiseMap<Gpu>& map, const Gpu& where)
      : variance_(map.variance != nullptr ? map.variance->pixels.data() : nullptr),
        width_(map.variance != nullptr ? map.variance->shape.width : 0) {
    if (map.variance == nullptr && map.mesh != nullptr) rows_.emplace(MeshRows::of_rms(*map.mesh, where));
  }

  NoiseOfPixels pixels() const { return {rows_ ? rows_->map() : no_mesh(), variance_, width_}; }

 private:
  static MeshMap no_mesh() { return {nullptr, nullptr, 0, 0, 1, MeshScale(1), false}; }

  std::optional<MeshRows> rows_;
  const float* variance_;
  std::int64_t width_;
};

}  // namespace srcextract
