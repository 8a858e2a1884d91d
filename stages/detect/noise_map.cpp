#include "stages/detect/noise_map.hpp"

#include <cmath>

namespace srcextract {

RowNoise::RowNoise(const NoiseMap<Cpu>& map, std::int64_t width)
    : variance_(map.variance), rms_(map.varies() ? static_cast<std::size_t>(width) : 0) {
  if (map.variance == nullptr && map.mesh != nullptr) mesh_.emplace(map.mesh->grid, map.mesh->rms, map.mesh->rms_bend);
}

void RowNoise::go_to(std::int64_t y) {
  if (variance_ != nullptr) {
    const float* variance = variance_->pixels.data() + y * variance_->shape.width;
    for (float& rms : rms_) rms = std::sqrt(*variance++);
  } else if (mesh_) {
    mesh_->go_to(y);
    mesh_->fill(rms_.data());
  }
}

}  // namespace srcextract
