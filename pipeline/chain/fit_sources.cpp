#include "pipeline/chain/fit_sources.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

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
  if (!mesh.level.empty()) level.emplace(MapOfMesh::of_level(mesh));
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
                           const BeamsAt& beams_at, const Cpu& where) {
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
  return fit_islands(map, components.counts->kept, same, beams_at, where);
}

/// Fits Gaussians to the islands of an extraction. `label` has the island of each run.
FittedIslands fit_found(const Extraction& extraction, const Buffer<std::int32_t, Cpu>& label, std::int64_t islands,
                        const ExtractedNoise& noise, const Config& config, const BeamsAt& beams_at, const Cpu& where) {
  const FitMap map{extraction.check.above, extraction.runs, label,
                   noise.factor(),         noise.rms(),     extraction.levels.in_noise};
  return fit_islands(map, islands, config, beams_at, where);
}

/// Turns a row of the negated map into one of the map.
void turn(ComponentRow& row) {
  row.peak = -row.peak;
  row.total = -row.total;
  row.of_island.total = -row.of_island.total;
  row.of_island.residual_mean = -row.of_island.residual_mean;
  const auto is_flux = [](std::size_t value) { return value == of_peak_flux || value == of_total_flux; };
  for (std::size_t a = 0; a < fitted_values; ++a)
    for (std::size_t b = 0; b < fitted_values; ++b)
      if (is_flux(a) != is_flux(b)) row.covariance[a][b] = -row.covariance[a][b];
}

/// Fits negative Gaussians to the islands of the negated map.
FittedIslands fit_fainter(const Extraction& negated, const Config& config, const BeamsAt& beams_at, const Cpu& where) {
  const ExtractedNoise noise(negated, config, where);
  FittedIslands fitted = fit_found(negated, negated.label, negated.sources.size(), noise, config, beams_at, where);
  for (std::vector<ComponentRow>* rows : {&fitted.gaussians, &fitted.sources}) std::ranges::for_each(*rows, turn);
  return fitted;
}

/// Appends rows to `to`, whose map has `islands` islands. The numbers of islands and sources continue those in `to`.
void append_fitted(const FittedIslands& from, std::int64_t islands, FittedIslands& to) {
  const auto sources = static_cast<std::int32_t>(to.sources.size());
  for (auto rows : {&FittedIslands::gaussians, &FittedIslands::sources})
    for (ComponentRow row : from.*rows) {
      row.island += static_cast<std::int32_t>(islands);
      row.source += sources;
      (to.*rows).push_back(row);
    }
}

/// Returns the labels of sources that are brighter than the sky, whose numbers are the first; 0 for the others.
Buffer<std::int32_t, Cpu> brighter_labels(const Extraction& extraction, std::int64_t brighter, const Cpu& where) {
  Buffer<std::int32_t, Cpu> label = copy_of(extraction.label, where);
  for (std::int32_t& one : label)
    if (one > brighter) one = 0;
  return label;
}

}  // namespace

void fit_sources(const Config& config, const BeamsAt& beams_at, const Cpu& where, Extraction& extraction) {
  const ExtractedNoise noise(extraction, config, where);
  const std::unique_ptr<const Extraction> negated = std::move(extraction.negated);
  if (negated == nullptr) {
    extraction.fitted =
        fit_found(extraction, extraction.label, extraction.sources.size(), noise, config, beams_at, where);
  } else if (config.detection.sign == DetectionSign::negative) {
    extraction.fitted = fit_fainter(*negated, config, beams_at, where);
  } else {
    const std::int64_t brighter = extraction.sources.size() - negated->sources.size();
    extraction.fitted =
        fit_found(extraction, brighter_labels(extraction, brighter, where), brighter, noise, config, beams_at, where);
    Config same = config;
    same.fit.noise_area = extraction.fitted->noise_area;
    append_fitted(fit_fainter(*negated, same, beams_at, where), brighter, *extraction.fitted);
  }
  add_levels(extraction, extraction.check.above.shape, *extraction.fitted);
  if (config.fit.reliability) {
    const FittedIslands negative = fit_negative(extraction, noise, config, beams_at, where);
    FittedIslands& fitted = *extraction.fitted;
    fitted.reliability = find_reliability(fitted.sources, fitted.gaussians, negative.sources, fitted.beam.side());
  }
}

void drop_fitted_images(const Config& config, Extraction& extraction) {
  Config without = config;
  without.fit.model = FitModel::none;
  without.model.fit = ModelFit::none;
  const Plan plan(without);
  if (!plan.shows_pixels()) extraction.check.above = {};
  if (!plan.shows_variance()) extraction.check.variance = {};
  if (!plan.keeps_segmentation()) {
    extraction.runs = {};
    extraction.label = {};
  }
}

}  // namespace srcextract
