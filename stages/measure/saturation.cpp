#include "stages/measure/saturation.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "stages/core/parallel.hpp"
#include "stages/measure/least_saturated.hpp"
#include "stages/sky/map_of_mesh.hpp"

namespace srcextract {

namespace {

constexpr std::int64_t sources_at_a_time = 2048;

}  // namespace

std::vector<BrightPixel> brightest_pixels(std::span<const SourceSums> measured, const SkyMesh<Cpu>* mesh,
                                          const Cpu& where) {
  std::vector<BrightPixel> brightest(measured.size());
  parallel_for(std::ssize(measured), sources_at_a_time, where, [&](std::int64_t begin, std::int64_t end) {
    std::optional<MapOfMesh> level;
    if (mesh != nullptr) level.emplace(MapOfMesh::of_level(*mesh));
    for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
      const SourceSums& source = measured[row];
      const float value = level ? source.peak + level->at(source.xpeak, source.ypeak) : source.peak;
      brightest[row] = {source.xpeak, source.ypeak, value};
    }
  });
  return brightest;
}

ClippedPeaks clipped_peaks(std::span<const BrightPixel> brightest) {
  ClippedPeaks clipped;
  for (const BrightPixel& peak : brightest) clipped.level = std::max(clipped.level, static_cast<double>(peak.value));
  const double least = least_saturated(clipped.level);
  clipped.sources = std::ranges::count_if(
      brightest, [&](const BrightPixel& peak) { return static_cast<double>(peak.value) >= least; });
  constexpr std::int64_t least_sources = 3;
  return clipped.sources >= least_sources ? clipped : ClippedPeaks{};
}

void flag_saturated(std::span<const BrightPixel> brightest, double level, Sources& sources) {
  const double least = least_saturated(level);
  std::vector<std::int16_t>& flags = sources[columns::flags];
  for (std::size_t row = 0; row < brightest.size(); ++row)
    if (static_cast<double>(brightest[row].value) >= least) flags[row] |= flag::saturated;
}

}  // namespace srcextract
