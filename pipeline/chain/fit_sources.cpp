#include "pipeline/chain/fit_sources.hpp"

#include <optional>

#include "pipeline/chain/extracted_noise.hpp"
#include "pipeline/chain/find_negative.hpp"
#include "pipeline/chain/make_catalog.hpp"
#include "stages/core/nearest_pixel.hpp"
#include "stages/fit/fit_islands.hpp"
#include "stages/sky/map_of_mesh.hpp"

namespace srcextract {
namespace {

/// Sets the sky level that was subtracted at the position of each fitted Gaussian and source.
void add_levels(const Extraction& extraction, const Shape& shape, FittedIslands& fitted) {
  const SkyMesh<Cpu>& mesh = extraction.check.mesh;
  std::optional<MapOfMesh> level;
  if (!mesh.level.empty()) level.emplace(mesh.grid, mesh.level, mesh.level_bend);
  for (std::vector<ComponentRow>* rows : {&fitted.gaussians, &fitted.sources})
    for (ComponentRow& row : *rows)
      row.of_island.level =
          level ? static_cast<double>(level->at(nearest_pixel(row.x, shape.width), nearest_pixel(row.y, shape.height)))
                : extraction.levels.background;
}

}  // namespace

void fit_sources(const Config& config, const Cpu& where, Extraction& extraction) {
  const CheckData& check = extraction.check;
  const ExtractedNoise noise(extraction, config, where);
  const FitMap map{check.above,    extraction.runs, extraction.label,
                   noise.factor(), noise.rms(),     extraction.levels.in_noise};
  extraction.fitted = fit_islands(map, extraction.sources.size(), config, where);
  add_levels(extraction, check.above.shape, *extraction.fitted);
  if (config.fit.reliability) {
    const FittedIslands negative = fit_negative(extraction, noise, config, where);
    FittedIslands& fitted = *extraction.fitted;
    fitted.reliability = find_reliability(fitted.sources, fitted.gaussians, negative.sources, fitted.beam.side());
  }
}

void drop_fitted_images(const Config& config, Extraction& extraction) {
  Config without = config;
  without.fit.model = FitModel::none;
  if (!shows_pixels(without)) extraction.check.above = {};
  if (!shows_variance(without)) extraction.check.variance = {};
  if (!keeps_segmentation(without)) {
    extraction.runs = {};
    extraction.label = {};
  }
}

}  // namespace srcextract
