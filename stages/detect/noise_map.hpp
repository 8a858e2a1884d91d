#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/sky/mesh.hpp"
#include "stages/sky/mesh_rows.hpp"

namespace srcextract {

/// Where the noise of single pixels comes from: the rms of a mesh or a variance map, each to be multiplied by
/// levels.noise_scale. With neither, all pixels have levels.sigma.
template <class Where>
struct NoiseMap {
  const SkyMesh<Where>* mesh = nullptr;
  const Image<float, Where>* variance = nullptr;

  bool varies() const { return mesh != nullptr || variance != nullptr; }
};

/// The noise of a pixel: `rms` multiplied by levels.noise_scale.
SRCEXTRACT_HOST_DEVICE inline double scaled_noise(const Levels& levels, float rms) {
  return levels.noise_scale * static_cast<double>(rms);
}

/// Evaluates the noise of pixels on the host, row by row.
class RowNoise {
 public:
  RowNoise(const NoiseMap<Cpu>& map, std::int64_t width);

  /// Goes to row y.
  void go_to(std::int64_t y);

  /// Whether the noise differs from pixel to pixel.
  bool varies() const { return !rms_.empty(); }

  /// The rms of pixel x of the current row. May be called only if varies().
  float at(std::int64_t x) const { return rms_[static_cast<std::size_t>(x)]; }

  /// The rms of the pixels of the current row; empty unless varies().
  const float* row() const { return rms_.data(); }

 private:
  const Image<float, Cpu>* variance_;
  std::optional<MeshRow> mesh_;
  std::vector<float> rms_;
};

/// Evaluates the rms of single pixels on the host, for code that host and device share. Each thread uses a copy, and
/// goes through the pixels row by row: a copy holds what the last row needs. May be used only if noise differs from
/// pixel to pixel.
class RmsAlongRows {
 public:
  explicit RmsAlongRows(const NoiseMap<Cpu>& map) : variance(map.variance) {
    if (map.variance == nullptr && map.mesh != nullptr)
      mesh_.emplace(map.mesh->grid, map.mesh->rms, map.mesh->rms_bend);
  }

  float at(std::int64_t x, std::int64_t y) const {
    if (variance != nullptr) return std::sqrt(variance->pixels[y * variance->shape.width + x]);
    if (y != row_) mesh_->go_to(row_ = y);
    return mesh_->at(x);
  }

  const Image<float, Cpu>* variance;  ///< null: the noise is that of a mesh

 private:
  mutable std::optional<MeshRow> mesh_;
  mutable std::int64_t row_ = -1;
};

/// Evaluates the rms of single pixels on the host, in any order and by many threads. May be used only if noise
/// differs from pixel to pixel.
struct RmsOfPixels {
  const Image<float, Cpu>* variance;
  const MeshRow* rows;  ///< one element for every MeshRow::rows_at_once rows of the image

  float at(std::int64_t x, std::int64_t y) const {
    return variance != nullptr ? std::sqrt(variance->pixels[y * variance->shape.width + x])
                               : rows[y / MeshRow::rows_at_once].at(x, y);
  }
};

/// Holds the memory of a RmsOfPixels: for meshes of 64 pixels, 1/32 of the image's memory.
class RmsRows {
 public:
  RmsRows(const NoiseMap<Cpu>& map, const Cpu& where);

  RmsOfPixels pixels() const { return {variance_, rows_.data()}; }

 private:
  const Image<float, Cpu>* variance_;
  std::vector<MeshRow> rows_;
};

}  // namespace srcextract
