#include "pipeline/chain/measure_positions.hpp"

#include <algorithm>
#include <utility>

namespace srcextract {

Config forced_config(Config config, bool ellipses) {
  // No threshold is needed, so none may fail because the pixel scale is unknown. A threshold in units of sigma still
  // selects which noise counts.
  const bool in_sigmas = config.detection.threshold_unit == ThresholdUnit::sigma;
  config.detection = {.threshold = config.detection.threshold,
                      .threshold_unit = in_sigmas ? ThresholdUnit::sigma : ThresholdUnit::absolute,
                      .reference = config.detection.reference};
  config.convolve = {};
  config.morphology = {};
  config.deblend = {};
  config.output.columns = forced_columns(ellipses, config.resources.numbers_of(psf_key) != nullptr);
  return config;
}

void measure_positions(const ForcedPositions& positions, const Image<float, Cpu>& image, const Image<float, Cpu>& noise,
                       const Config& config, Detection<Cpu>& found, const Cpu& where) {
  ForcedLight light = measure_forced(positions, image, noise, *found.levels, config, where,
                                     found.mesh.level.empty() ? nullptr : &found.whole);
  found.sums = std::move(light.pixel);
  found.photometry = std::move(light.photometry);
  // Errors must come from variances; that alone matters here. The flux of the pixel and its error are in no column.
  if (noise.pixels.empty()) return;
  found.variances = Buffer<SourceSums, Cpu>(found.sums.size(), where);
  std::fill(found.variances.begin(), found.variances.end(), SourceSums{});
}

}  // namespace srcextract
