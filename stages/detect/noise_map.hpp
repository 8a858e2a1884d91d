#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/sky/mesh.hpp"
#include "stages/sky/mesh_rows.hpp"

namespace srcextract {

/// The source of the noise of each pixel: a mesh of the rms (values on a coarse grid, interpolated by splines), or a
/// map of the variance. The rms of either must be multiplied by levels.noise_scale. If both pointers are null, all
/// pixels have the noise levels.sigma. If both are set, `variance` is used.
template <class Where>
struct NoiseMap {
  const SkyMesh<Where>* mesh = nullptr;
  const Image<float, Where>* variance = nullptr;

  bool varies() const { return mesh != nullptr || variance != nullptr; }
};

/// Returns the noise of a pixel: `rms` multiplied by levels.noise_scale.
SRCEXTRACT_HOST_DEVICE inline double scaled_noise(const Levels& levels, float rms) {
  return levels.noise_scale * static_cast<double>(rms);
}

/// Computes the rms of the pixels of one row after another, on the host. The rms is not yet multiplied by
/// levels.noise_scale.
class RowNoise {
 public:
  RowNoise(const NoiseMap<Cpu>& map, std::int64_t width);

  /// Makes row y the current row.
  void go_to(std::int64_t y);

  /// Whether the noise differs from pixel to pixel.
  bool varies() const { return !rms_.empty(); }

  /// The rms of pixel x of the current row. May be called only if varies().
  float at(std::int64_t x) const { return rms_[static_cast<std::size_t>(x)]; }

  /// The rms of the pixels of the current row. May be read only if varies().
  const float* row() const { return rms_.data(); }

 private:
  const Image<float, Cpu>* variance_;
  std::optional<MeshRow> mesh_;
  std::vector<float> rms_;
};

/// Computes the rms of single pixels on the host, with the interface that code shared with devices needs. Each thread
/// must use its own copy, which keeps the data of the last row. Pixels should be read row by row, since a change of row
/// takes time. The NoiseMap must have a mesh or a variance.
class RmsAlongRows {
 public:
  explicit RmsAlongRows(const NoiseMap<Cpu>& map) : variance(map.variance) {
    if (map.variance == nullptr && map.mesh != nullptr) mesh_.emplace(MeshRow::of_rms(*map.mesh));
  }

  float at(std::int64_t x, std::int64_t y) const {
    if (variance != nullptr) return std::sqrt(variance->pixels[y * variance->shape.width + x]);
    if (y != row_) mesh_->go_to(row_ = y);
    return mesh_->at(x);
  }

  const Image<float, Cpu>* variance;  ///< null if the noise is from a mesh

 private:
  mutable std::optional<MeshRow> mesh_;
  mutable std::int64_t row_ = -1;
};

/// Computes the rms of single pixels on the host, in any order. Several threads may share an object. The NoiseMap must
/// have a mesh or a variance. For meshes of 64 pixels, the object takes 1/32 of the image's memory.
class RmsOfPixels {
 public:
  RmsOfPixels(const NoiseMap<Cpu>& map, const Cpu& where);

  float at(std::int64_t x, std::int64_t y) const {
    return variance_ != nullptr ? std::sqrt(variance_->pixels[y * variance_->shape.width + x])
                                : rows_[static_cast<std::size_t>(y / MeshRow::rows_at_once)].at(x, y);
  }

 private:
  const Image<float, Cpu>* variance_;
  std::vector<MeshRow> rows_;  ///< one element for every MeshRow::rows_at_once rows of the image
};

}  // namespace srcextract
