#include "pipeline/chain/fit_sources.hpp"

#include <optional>

#include "pipeline/chain/extracted_noise.hpp"
#include "pipeline/chain/find_foreground.hpp"
#include "pipeline/chain/make_catalog.hpp"
#include "stages/core/nearest_pixel.hpp"
#include "stages/detect/label.hpp"
#include "stages/detect/morphology.hpp"
#include "stages/difference/difference.hpp"
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

/// Returns the levels, in values of the negated map minus its sky, for a threshold of `threshold` times the noise.
Value<Levels, Cpu> negative_levels(const Extraction& extraction, double threshold) {
  Levels levels = extraction.levels;
  const bool has_mesh = !extraction.check.mesh.level.empty();
  levels.zero_point = has_mesh ? 0 : extraction.background.clipped.median - extraction.levels.zero_point;
  levels.in_noise = threshold;
  levels.detection = levels.zero_point + threshold * levels.sigma;
  return Value<Levels, Cpu>(levels);
}

/// Finds islands (connected groups of pixels above the threshold) in the negated map and fits Gaussians to them.
/// Sources in the negated map are false, and their number shows how reliable the sources of the map are.
///
/// Sky level, noise and thresholds are those of the map itself. `extraction` must contain the fit of the map.
FittedIslands fit_negative(const Extraction& extraction, const ExtractedNoise& noise, const Config& config,
                           const Cpu& where) {
  Image<float, Cpu> negated = copy_of(extraction.check.above, where);
  negate(negated, where);
  const auto runs_above = [&](double sigmas) {
    return threshold<Cpu>(negated, negative_levels(extraction, sigmas), noise.map(), {}, where);
  };
  Runs<Cpu> runs = runs_above(extraction.levels.in_noise);
  if (config.morphology.operation != MorphologicalOperation::none)
    runs = apply_morphology(runs, config.morphology, where);
  Runs<Cpu> seeds;
  const bool with_seeds = config.detection.seed != 0;
  if (with_seeds) seeds = runs_above(config.detection.seed);
  const Components<Cpu> components = label_components(runs, config.detection, where, with_seeds ? &seeds : nullptr);
  const FitMap map{negated, runs, components.label, noise.factor(), noise.rms(), extraction.levels.in_noise};
  Config same = config;
  same.fit.noise_area = extraction.fitted->noise_area;
  return fit_islands(map, components.counts->kept, same, where);
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
