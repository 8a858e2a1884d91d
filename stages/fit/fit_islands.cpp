#include "stages/fit/fit_islands.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "stages/core/error.hpp"
#include "stages/core/parallel.hpp"
#include "stages/detect/runs_by_source.hpp"
#include "stages/fit/fit_island.hpp"
#include "stages/fit/island_rows.hpp"
#include "stages/fit/noise_area.hpp"

namespace srcextract {

FittedIslands fit_islands(const FitMap& map, std::int64_t islands, const Settings& config, const Cpu& where) {
  FittedIslands out;
  if (!config.resources.beam) throw Error(ErrorKind::internal, "Gaussians are fitted to a map without a beam");
  out.beam = *config.resources.beam;
  out.shape = map.shape();
  out.area_measured = config.fit.noise_area == 0;
  out.noise_area = out.area_measured ? measure_noise_area(map, shape_of(out.beam), where) : config.fit.noise_area;
  const FitRule rule(config.fit, out.beam, out.noise_area, map.threshold,
                     std::max(map.threshold, config.detection.seed));
  const RunsBySource runs = group_runs(map.label, islands, where);
  std::vector<IslandRows> rows(static_cast<std::size_t>(islands));
  parallel_for(islands, 4, where, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const FitIsland island(map, static_cast<std::int32_t>(i + 1), runs.members(i));
      rows[static_cast<std::size_t>(i)] = rows_of_island(map, island, rule, fit_gaussians(map, island, rule));
    }
  });
  for (IslandRows& of : rows) {
    const auto before = static_cast<std::int32_t>(out.sources.size());
    for (ComponentRow& row : of.gaussians) row.source += before;
    for (ComponentRow& row : of.sources) row.source += before;
    out.gaussians.insert(out.gaussians.end(), of.gaussians.begin(), of.gaussians.end());
    out.sources.insert(out.sources.end(), of.sources.begin(), of.sources.end());
  }
  return out;
}

}  // namespace srcextract
