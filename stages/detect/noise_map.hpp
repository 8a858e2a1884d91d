#pragma once

#include <optional>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/sky/mesh.hpp"
#include "stages/sky/mesh_rows.hpp"

namespace srcextract {

/// What is known of the noise of single pixels: the rms of a mesh, or a map of variances, up to levels.noise_scale; or
/// neither, and it is that of the levels.
template <class Where>
struct NoiseMap {
  const SkyMesh<Where>* mesh = nullptr;
  const Image<float, Where>* variance = nullptr;

  bool varies() const { return mesh != nullptr || variance != nullptr; }
};

/// The noise of a pixel, whose root mean square is known but for levels.noise_scale.
SRCEXTRACT_HOST_DEVICE inline double scaled_noise(const Levels& levels, float rms) {
  return levels.noise_scale * static_cast<double>(rms);
}

/// The noise of the pixels of one row after another, as the host finds it.
class RowNoise {
 public:
  RowNoise(const NoiseMap<Cpu>& map, std::int64_t width);

  /// Goes to row y.
  void go_to(std::int64_t y);

  /// Whether it differs from pixel to pixel.
  bool varies() const { return !rms_.empty(); }

  /// The root mean square of a pixel, if it does.
  float at(std::int64_t x) const { return rms_[static_cast<std::size_t>(x)]; }

 private:
  const Image<float, Cpu>* variance_;
  std::optional<MeshRow> mesh_;
  std::vector<float> rms_;
};

}  // namespace srcextract
