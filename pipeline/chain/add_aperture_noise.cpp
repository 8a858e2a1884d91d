#include "pipeline/chain/add_aperture_noise.hpp"

#include <utility>

#include "pipeline/chain/parts.hpp"
#include "stages/detect/label.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/measure/empty_apertures.hpp"

namespace srcextract {
namespace {

/// Finds the pixels well above the sky in an image that is measured at given positions. The threshold is the default of
/// detection.threshold, 5 sigma, since forced measurement itself needs no threshold.
Runs<Cpu> bright_runs(const Image<float, Cpu>& image, const Image<float, Cpu>& variance, const Config& config,
                      const Detection<Cpu>& found, const Cpu& where) {
  const Statistics& sky = found.background->clipped;
  Value<Levels, Cpu> levels = found.levels;
  levels->zero_point = sky.median;
  levels->in_noise = DetectionConfig{}.threshold;
  levels->detection = sky.median + levels->in_noise * sky.sigma;
  if (!variance.pixels.empty()) return find_runs(image, levels, variance, where);
  return Plan(config).noise_varies() ? find_runs(image, levels, found.mesh, where) : find_runs(image, levels, where);
}

}  // namespace

void add_aperture_noise(const Image<float, Cpu>& image, const Image<float, Cpu>& variance, const Config& config,
                        Detection<Cpu>& found, std::optional<ApertureNoise>& known, const Cpu& where,
                        StageClock& clock) {
  if (!Plan(config).measures_aperture_noise()) return;
  if (!known) {
    const SkyMesh<Cpu>* const noise = noise_mesh(config, found);
    const auto measure = [&](const Runs<Cpu>& runs, const Buffer<std::int32_t, Cpu>& label) {
      return measure_empty_apertures({image, variance, runs, label, *found.levels, noise, has_map(config.weights)},
                                     where);
    };
    if (!found.runs.row_begin.empty()) {
      known = measure(found.runs, found.components.label);
    } else {
      const Runs<Cpu> runs = bright_runs(image, variance, config, found, where);
      known = measure(runs, label_components(runs, config.detection, where).label);
    }
  }
  found.noise = known;
  clock.done(MeasureApertureNoise::name, *found.noise);
}

}  // namespace srcextract
