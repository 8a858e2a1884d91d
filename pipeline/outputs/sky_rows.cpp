#include "pipeline/outputs/sky_rows.hpp"

#include <algorithm>
#include <cmath>

#include "stages/core/masked_pixel.hpp"
#include "stages/core/rows_on_demand.hpp"

namespace srcextract {
namespace {

void fill(std::optional<MeshRow>& map, double constant, std::int64_t y, float* row, std::int64_t width) {
  if (!map) {
    std::fill_n(row, width, static_cast<float>(constant));
    return;
  }
  map->go_to(y);
  map->fill(row);
}

}  // namespace

SkyRows::SkyRows(const Extraction& extraction)
    : constant_(extraction.background.clipped),
      given_(extraction.given_level),
      given_map_(extraction.check.level),
      variance_(extraction.check.variance),
      noise_scale_(extraction.levels.noise_scale) {
  const SkyMesh<Cpu>& mesh = extraction.check.mesh;
  if (mesh.level.empty()) return;
  level_.emplace(MeshRow::of_level(mesh));
  rms_.emplace(MeshRow::of_rms(mesh));
}

void SkyRows::level(std::int64_t y, float* row, std::int64_t width) {
  if (!given_map_.pixels.empty()) {
    const HeldRows held(given_map_, y, y + 1);
    std::copy_n(given_map_.pixels.data() + y * width, width, row);
  } else if (given_) {
    std::fill_n(row, width, static_cast<float>(given_->middle));
  } else {
    fill(level_, constant_.median, y, row, width);
  }
}

void SkyRows::mesh_rms(std::int64_t y, float* row, std::int64_t width) {
  fill(rms_, constant_.sigma, y, row, width);
}

void SkyRows::rms(std::int64_t y, float* row, std::int64_t width) {
  if (variance_.pixels.empty()) return mesh_rms(y, row, width);
  const HeldRows held(variance_, y, y + 1);
  const float* const from = variance_.pixels.data() + y * width;
  std::transform(from, from + width, row, [&](float variance) {
    return pixel_of(static_cast<float>(noise_scale_ * static_cast<double>(std::sqrt(variance))));
  });
}

}  // namespace srcextract
