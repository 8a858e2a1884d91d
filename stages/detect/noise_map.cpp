#include "stages/detect/noise_map.hpp"

#include <cmath>

#include "stages/core/parallel.hpp"
#include "stages/core/rows_on_demand.hpp"

namespace srcextract {

RowNoise::RowNoise(const NoiseMap<Cpu>& map, std::int64_t width)
    : variance_(map.variance), rms_(map.varies() ? static_cast<std::size_t>(width) : 0) {
  if (map.variance == nullptr && map.mesh != nullptr) mesh_.emplace(MeshRow::of_rms(*map.mesh));
}

void RowNoise::go_to(std::int64_t y) {
  if (variance_ != nullptr) {
    const HeldRows held(*variance_, y, y + 1);
    const float* variance = variance_->pixels.data() + y * variance_->shape.width;
    for (float& rms : rms_) rms = std::sqrt(*variance++);
  } else if (mesh_) {
    mesh_->go_to(y);
    mesh_->fill(rms_.data());
  }
}

RmsOfPixels::RmsOfPixels(const NoiseMap<Cpu>& map, const Cpu& where) : variance_(map.variance) {
  if (map.variance != nullptr || map.mesh == nullptr) return;
  const std::int64_t groups = (map.mesh->grid.image.height + MeshRow::rows_at_once - 1) / MeshRow::rows_at_once;
  rows_ = std::vector<MeshRow>(static_cast<std::size_t>(groups), MeshRow::of_rms(*map.mesh));
  parallel_for(groups, 1, where, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) rows_[static_cast<std::size_t>(i)].go_to(i * MeshRow::rows_at_once);
  });
}

}  // namespace srcextract
