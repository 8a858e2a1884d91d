#include "pipeline/chain/measure_positions.hpp"

#include <algorithm>
#include <utility>

#include "stages/crowd/crowd_columns.hpp"
#include "stages/weights/variance_pixel.hpp"

namespace srcextract {

Config forced_config(Config config, bool ellipses) {
  // Forced measurement needs no detection threshold, so a threshold in units that need the pixel scale must not fail.
  // Whether the threshold is in sigma is kept, since that decides which noise is used. There is no filtered image here
  // whose sigma could count.
  const bool in_sigmas = counts_in_sigmas(config.detection);
  config.detection = {.threshold = config.detection.threshold,
                      .threshold_unit = in_sigmas ? ThresholdUnit::sigma : ThresholdUnit::absolute,
                      .reference = config.detection.reference};
  config.convolve = {};
  config.morphology = {};
  config.deblend = {};
  config.output.columns = fits_crowd(config)
                              ? crowd_column_names(config.crowd.inject > 0)
                              : forced_columns(ellipses, config.resources.numbers_of(psf_key) != nullptr);
  return config;
}

Config crowd_config(Config config) {
  return forced_config(std::move(config), false);
}

CrowdImage crowd_image(const float* image, const float* variance, const Shape& shape, const Config& config,
                       const Detection<Cpu>& found) {
  PhotometryImage pixels{};
  pixels.variance = variance;
  pixels.background = found.levels->background;
  set_noise(config, pixels);
  complete_noise(*found.levels, pixels);
  if (!found.mesh.level.empty()) pixels.saturation -= highest_level(*found.whole);
  CrowdImage out{image, variance, shape, pixels.background, pixels.pixel_variance};
  out.sigma = found.levels->sigma;
  out.scales = !pixels.noise_is_mapped || is_rescaled(config.weights);
  out.least_bad_variance = least_bad_variance(least_bad_variance(config.weights), found.levels->noise_scale);
  out.gain = pixels.gain;
  out.saturation = pixels.saturation;
  return out;
}

CrowdPlanes planes_of_crowd(const Config& config) {
  const auto shows = [](CheckImage image) { return shows_model(image) || shows_crowd(image); };
  return config.output.report || std::ranges::any_of(config.output.check_images, shows) ? CrowdPlanes::all
                                                                                        : CrowdPlanes::none;
}

std::vector<CrowdPlace> crowd_places(const ForcedPositions& positions) {
  std::vector<CrowdPlace> places;
  for (const ForcedPosition& at : positions.places) places.push_back({at.x, at.y});
  return places;
}

void keep_crowd(CrowdFit fit, const Shape& shape, bool mapped, Detection<Cpu>& found) {
  found.crowd = std::move(fit);
  found.sums = Buffer<SourceSums, Cpu>(std::ssize(found.crowd->rows), Cpu{});
  for (std::int64_t i = 0; i < found.sums.size(); ++i) {
    const CrowdRow& row = found.crowd->rows[static_cast<std::size_t>(i)];
    found.sums[i] = sums_at({row.x, row.y}, shape);
  }
  if (!mapped) return;
  found.variances = Buffer<SourceSums, Cpu>(found.sums.size(), Cpu{});
  std::fill(found.variances.begin(), found.variances.end(), SourceSums{});
}

void measure_positions(const ForcedPositions& positions, const Image<float, Cpu>& image, const Image<float, Cpu>& noise,
                       const Config& config, Detection<Cpu>& found, const Cpu& where) {
  ForcedLight light = measure_forced(positions, image, noise, *found.levels, config, where,
                                     found.mesh.level.empty() ? nullptr : &found.whole);
  found.sums = std::move(light.pixel);
  found.photometry = std::move(light.photometry);
  // make_catalog() derives errors from variances only if every row has one. The values are 0, since no column shows the
  // variance of the central pixel.
  if (noise.pixels.empty()) return;
  found.variances = Buffer<SourceSums, Cpu>(found.sums.size(), where);
  std::fill(found.variances.begin(), found.variances.end(), SourceSums{});
}

}  // namespace srcextract
