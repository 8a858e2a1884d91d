#include "pipeline/chain/make_catalog.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "stages/core/error.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/core/parallel.hpp"
#include "stages/measure/columns.hpp"
#include "stages/measure/saturation.hpp"
#include "stages/photometry/photometry_columns.hpp"

namespace srcextract {

namespace {

/// Without a mesh what is above the sky is made only here.
CheckData check_data(Detection<Cpu>&& found, const Cpu& where) {
  if (found.mesh.level.empty()) {
    const auto level = static_cast<float>(found.background->clipped.median);
    const std::int64_t width = found.above.shape.width;
    parallel_for(found.above.shape.height, 16, where, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin * width; i < end * width; ++i)
        found.above.pixels[i] = pixel_of(found.above.pixels[i] - level);
      if (found.image.pixels.empty()) return;
      for (std::int64_t i = begin * width; i < end * width; ++i)
        found.image.pixels[i] = pixel_of(found.image.pixels[i] - level);
    });
  }
  return {std::move(found.mesh), std::move(found.above), std::move(found.image), {}, {}};
}

std::span<const SourceSums> all_of(const Buffer<SourceSums, Cpu>& sums) {
  return {sums.begin(), sums.end()};
}

/// Throws Error{input} if a map of weights, a mask or a map of the level leaves no pixel; where the image has none of
/// its own, check_background says it.
void check_not_all_masked(const MaskCounts& masked, const Shape& shape) {
  if (masked.total() < shape.count() || masked.weight + masked.mask + masked.level == 0) return;
  throw Error(ErrorKind::input, "every pixel is masked: " + std::to_string(masked.weight) + " by the map of weights, " +
                                    std::to_string(masked.mask) + " by the mask, " + std::to_string(masked.level) +
                                    " by background.level, and " +
                                    std::to_string(masked.nan + masked.infinite + masked.blank) +
                                    " that are NaN, infinite or BLANK: there is no sky to measure; is it the right map "
                                    "(weights.hdu, weights.type, weights.threshold, mask.hdu, mask.bits)?");
}

bool may_be_saturated(const MeasurementConfig& config) {
  return config.saturation > 0 || config.saturation_keyword != "none";
}

PixelNoise known_noise(const Config& config) {
  if (!has_map(config.weights)) return PixelNoise::of_sky;
  return !counts_in_sigmas(config.detection) ? PixelNoise::of_map_for_errors : PixelNoise::of_map;
}

}  // namespace

bool keeps_segmentation(const Config& config) {
  const bool of_objects = std::ranges::any_of(config.output.check_images, [](CheckImage image) {
    return image == CheckImage::objects || image == CheckImage::minus_objects;
  });
  return config.output.segmentation || of_objects || has_flags(config.flags) ||
         (config.output.quicklook && config.quicklook.overlay == Overlay::pixels);
}

bool shows_pixels(const Config& config) {
  return std::ranges::any_of(config.output.check_images, [](CheckImage image) {
    return image == CheckImage::minus_background || image == CheckImage::filtered || image == CheckImage::objects ||
           image == CheckImage::minus_objects || image == CheckImage::snr;
  });
}

bool shows_variance(const Config& config) {
  return has_map(config.weights) && std::ranges::any_of(config.output.check_images, [](CheckImage image) {
           return image == CheckImage::rms || image == CheckImage::snr;
         });
}

Extraction make_catalog(Detection<Cpu>&& found, std::span<const SourceSums> sums, const MaskCounts& masked,
                        const Shape& shape, const Config& config, const Cpu& where, StageClock& clock) {
  check_not_all_masked(masked, shape);
  const bool of_mesh = !found.mesh.level.empty();
  check_background(of_mesh ? *found.whole : *found.background, config);
  Extraction out;
  out.background = of_mesh ? *found.whole : *found.background;
  out.levels = *found.levels;
  out.masked_nan = masked.nan;
  out.masked_infinite = masked.infinite;
  out.masked_blank = masked.blank;
  out.masked_weight = masked.weight;
  out.masked_mask = masked.mask;
  out.masked_level = masked.level;
  out.detected = found.components.counts->found;
  MeasuredSums measured{sums,
                        all_of(found.fluxes),
                        all_of(found.variances),
                        of_mesh ? &found.mesh : nullptr,
                        noise_varies(config),
                        known_noise(config),
                        config.deblend.method != DeblendMethod::none,
                        {found.parentage.begin(), found.parentage.end()},
                        config.deblend.clean,
                        all_of(found.cleaned.own_sums)};
  if (config.detection.analysis_threshold != 0) measured.areas.emplace(found.areas.begin(), found.areas.end());
  const bool usual = config.output.columns == OutputConfig{}.columns;
  std::vector<FluxCalibration> calibration(usual ? 0 : sums.size());
  out.sources = derive_columns(measured, shape, out.levels, config.measurement, where, calibration);
  if (!usual) add_measured_columns(found.photometry, calibration, config, out.sources, where);
  if (may_be_saturated(config.measurement))
    out.brightest =
        brightest_pixels(found.fluxes.empty() ? sums : all_of(found.fluxes), of_mesh ? &found.mesh : nullptr);
  clock.done("columns", out.sources);
  if (keeps_segmentation(config)) {
    out.runs = std::move(found.runs);
    out.label = std::move(found.components.label);
  }
  if (!config.output.check_images.empty()) out.check = check_data(std::move(found), where);
  return out;
}

}  // namespace srcextract
