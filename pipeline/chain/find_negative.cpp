#include "pipeline/chain/find_negative.hpp"

#include <utility>

#include "pipeline/chain/detection.hpp"
#include "stages/detect/label.hpp"
#include "stages/detect/morphology.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/difference/difference.hpp"

namespace srcextract {
namespace {

/// Returns the levels, in values of the negated map minus its sky, for a threshold of `threshold` times the noise.
Value<Levels, Cpu> negative_levels(const Extraction& extraction, double threshold) {
  Levels levels = extraction.levels;
  const bool has_mesh = !extraction.check.mesh.level.empty();
  levels.zero_point = has_mesh ? 0 : extraction.background.clipped.median - extraction.levels.zero_point;
  levels.in_noise = threshold;
  levels.detection = levels.zero_point + threshold * levels.sigma;
  return Value<Levels, Cpu>(levels);
}

Runs<Cpu> runs_above(const Image<float, Cpu>& image, const Value<Levels, Cpu>& levels, const NoiseMap<Cpu>& noise,
                     const Cpu& where) {
  if (noise.variance != nullptr) return find_runs(image, levels, *noise.variance, where);
  return noise.mesh != nullptr ? find_runs(image, levels, *noise.mesh, where) : find_runs(image, levels, where);
}

}  // namespace

FittedIslands fit_negative(const Extraction& extraction, const ExtractedNoise& noise, const Config& config,
                           const Cpu& where) {
  Image<float, Cpu> negated = copy_of(extraction.check.above, where);
  negate(negated, where);
  Runs<Cpu> runs = runs_above(negated, negative_levels(extraction, extraction.levels.in_noise), noise.map(), where);
  if (config.morphology.operation != MorphologicalOperation::none)
    runs = apply_morphology(runs, config.morphology, where);
  Runs<Cpu> seeds;
  const bool with_seeds = config.detection.seed != 0;
  if (with_seeds) seeds = runs_above(negated, negative_levels(extraction, config.detection.seed), noise.map(), where);
  const Components<Cpu> components = label_components(runs, config.detection, where, with_seeds ? &seeds : nullptr);
  const FitMap map{negated, runs, components.label, noise.factor(), noise.rms(), extraction.levels.in_noise};
  Config same = config;
  same.fit.noise_area = extraction.fitted->noise_area;
  return fit_islands(map, components.counts->kept, same, where);
}

}  // namespace srcextract
