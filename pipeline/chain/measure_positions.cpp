#include "pipeline/chain/measure_positions.hpp"

#include <cstdint>
#include <utility>

#include "pipeline/chain/detect_sources.hpp"

namespace srcextract {

Config forced_config(Config config, bool ellipses) {
  // No threshold is asked for, so none may fail for want of the size of a pixel. In units of sigma it tells which noise
  // counts.
  const bool in_sigmas = config.detection.threshold_unit == ThresholdUnit::sigma;
  config.detection = {.threshold = config.detection.threshold,
                      .threshold_unit = in_sigmas ? ThresholdUnit::sigma : ThresholdUnit::absolute,
                      .reference = config.detection.reference};
  config.convolve = {};
  config.clean = {};
  config.deblend = {};
  config.output.columns = forced_columns(ellipses);
  return config;
}

Detection<Cpu> measure_positions(const Pixels<Cpu>& pixels, const Config& config, const ForcedPositions& positions,
                                 const Cpu& where, StageClock& clock, Image<float, Cpu>* last_read) {
  const auto done = [&](const char* stage) { clock.done(stage); };
  Detection<Cpu> found;
  subtract_own_sky(pixels, config, found, where, done, last_read);
  const Image<float, Cpu>&image = measured_image(pixels, found), &noise = measured_noise(pixels, found);
  found.levels = LevelsOf<Cpu>(image, pixels, config, found, where)(config.detection.threshold);
  ForcedLight light = measure_forced(positions, image, noise, *found.levels, config, where);
  found.sums = std::move(light.pixel);
  found.photometry = std::move(light.photometry);
  // That errors are made of variances is what counts: the flux of the one pixel, and so its error, is in no column.
  if (!noise.pixels.empty()) found.variances = Buffer<SourceSums, Cpu>(found.sums.size(), where);
  done("photometry");
  return found;
}

}  // namespace srcextract
