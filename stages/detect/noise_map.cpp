#include "stages/detect/noise_map.hpp"

#include <cmath>

namespace srcextract {

RowNoise::RowNoise(const NoiseMap<Cpu>& map, std::int64_t width)
    : map_(map), rms_(map.mesh != nullptr || map.variance != nullptr ? static_cast<std::size_t>(width) : 0) {}

void RowNoise::go_to(std::int64_t y) {
  if (map_.variance != nullptr) {
    const float* variance = map_.variance->pixels.data() + y * map_.variance->shape.width;
    for (float& rms : rms_) rms = std::sqrt(*variance++);
  } else if (map_.mesh != nullptr) {
    MeshRow row(map_.mesh->grid, map_.mesh->rms, map_.mesh->rms_bend);
    row.go_to(y);
    row.fill(rms_.data());
  }
}

}  // namespace srcextract
