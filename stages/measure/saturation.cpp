#include "stages/measure/saturation.hpp"

#include <cstdint>
#include <optional>

#include "stages/sky/mesh_rows.hpp"

namespace srcextract {

std::vector<BrightPixel> brightest_pixels(std::span<const SourceSums> measured, const SkyMesh<Cpu>* mesh) {
  std::vector<BrightPixel> brightest;
  brightest.reserve(measured.size());
  std::optional<MeshRow> level;
  if (mesh != nullptr) level.emplace(mesh->grid, mesh->level, mesh->level_bend);
  std::int32_t row = -1;
  for (const SourceSums& source : measured) {
    if (level && source.ypeak != row) level->go_to(row = source.ypeak);
    const float value = level ? source.peak + level->at(source.xpeak) : source.peak;
    brightest.push_back({source.xpeak, source.ypeak, value});
  }
  return brightest;
}

void flag_saturated(std::span<const BrightPixel> brightest, double level, Sources& sources) {
  // What lies exactly at the level, as clipped pixels do, must not be lost to the rounding of the sky's subtraction.
  constexpr double two_roundings = 1.0 / (1 << 23);
  const double least = level - level * two_roundings;
  for (std::size_t row = 0; row < brightest.size(); ++row)
    if (static_cast<double>(brightest[row].value) >= least) sources.flags[row] |= flag::saturated;
}

}  // namespace srcextract
