#include "pipeline/chain/measure_elsewhere.hpp"

#include <cstdint>
#include <utility>

#include "pipeline/chain/detect_sources.hpp"
#include "pipeline/chain/make_catalog.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {
namespace {

/// The image with a value in its masked pixels.
Image<float, Cpu> fill_masked(const Image<float, Cpu>& image, float value, const Cpu& where) {
  constexpr std::int64_t rows_at_a_time = 16;
  Image<float, Cpu> full(image.shape, where);
  const std::int64_t width = image.shape.width;
  parallel_for(image.shape.height, rows_at_a_time, where, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin * width; i < end * width; ++i) {
      const float pixel = image.pixels[i];
      full.pixels[i] = pixel == pixel ? pixel : value;
    }
  });
  return full;
}

/// The levels of the image that is measured. Those of the other were raised where they follow from a rate of false
/// discoveries.
void find_levels(const Pixels<Cpu>& pixels, const Config& config, const Levels& of_found, Detection<Cpu>& measured,
                 const Cpu& where, StageClock& clock) {
  const auto done = [&](const char* stage) { clock.done(stage); };
  const bool in_own_noise = config.detection.threshold_unit == ThresholdUnit::detection_sigma;
  if (in_own_noise) make_detection_image(measured_image(pixels, measured), pixels.noise, config, measured, where, done);
  const LevelsOf<Cpu> levels_at(found_image(pixels, measured), pixels, config, measured, where);
  measured.image = {};
  measured.match = {};
  const bool by_rate = controls_false_discoveries(config.detection);
  measured.levels = levels_at(by_rate ? of_found.in_noise : config.detection.threshold);
  if (config.detection.analysis_threshold == 0) return;
  measured.analysed = threshold(measured_image(pixels, measured), levels_at(config.detection.analysis_threshold),
                                pixels, config, measured, where);
  clock.done("analysis");
}

/// What is summed over the sources.
void sum_over_sources(const Pixels<Cpu>& pixels, const Config& config, Detection<Cpu>& measured, Detection<Cpu>& found,
                      const Cpu& where, StageClock& clock) {
  const Image<float, Cpu>& image = measured_image(pixels, measured);
  const auto sum = [&](const Image<float, Cpu>& of) {
    return measure_sources(of, found.runs, found.components, measured.levels, pixels.masked, where);
  };
  const bool masked = pixels.masked->total() > 0;
  found.fluxes = masked ? sum(fill_masked(image, static_cast<float>(measured.levels->background), where)) : sum(image);
  if (masked) {
    const Buffer<SourceSums, Cpu> with_gaps = sum(image);
    for (std::int64_t i = 0; i < with_gaps.size(); ++i) found.sums[i].near_masked |= with_gaps[i].near_masked;
  }
  clock.done("flux");
  const Image<float, Cpu>& noise = measured_noise(pixels, measured);
  found.variances = {};
  if (!noise.pixels.empty()) {
    found.variances = masked ? sum(fill_masked(noise, 0, where)) : sum(noise);
    clock.done("variance");
  }
  if (config.detection.analysis_threshold != 0) {
    found.areas =
        area_above(found.runs, config.deblend.clean ? found.cleaned.own : found.components, measured.analysed, where);
    clock.done("area");
  }
}

/// The image in which sources were found, where check images show it.
void keep_found_image(const Pixels<Cpu>& detected, Detection<Cpu>& found, const Cpu& where) {
  if (found.image.pixels.empty()) found.image = copy_of(measured_image(detected, found), where);
}

}  // namespace

void measure_elsewhere(const Pixels<Cpu>& detected, const Config& detected_config, const Pixels<Cpu>& pixels,
                       const Config& config, Detection<Cpu>& found, const Cpu& where, StageClock& clock,
                       Image<float, Cpu>* last_read) {
  const auto done = [&](const char* stage) { clock.done(stage); };
  const auto sum_found = [&](const Image<float, Cpu>& image) {
    return measure_sources(image, found.runs, found.components, found.levels, detected.masked, where);
  };
  found.sums = sum_found(found_image(detected, found));
  done("measure");
  const Image<float, Cpu>&image_of_found = measured_image(detected, found),
                     &noise_of_found = measured_noise(detected, found);
  Buffer<SourceSums, Cpu> variances_of_found;
  if (!noise_of_found.pixels.empty()) variances_of_found = sum_found(noise_of_found);

  Detection<Cpu> measured;
  subtract_own_sky(pixels, config, measured, where, done, last_read);
  find_levels(pixels, config, *found.levels, measured, where, clock);
  sum_over_sources(pixels, config, measured, found, where, clock);
  if (measures_photometry(config)) {
    const FoundImage<Cpu> found_in{image_of_found, noise_of_found, found.levels};
    PhotometryInput<Cpu> input = photometry_input(measured_image(pixels, measured), measured_noise(pixels, measured),
                                                  measured.levels, config, found);
    input.found_in = &found_in;
    found.photometry = measure_photometry(input, config, where);
    done("photometry");
  }
  if (shows_pixels(config)) keep_found_image(detected, found, where);
  found.found_in = {
      found.background, found.whole,     std::move(found.mesh), found.levels, std::move(variances_of_found),
      detected.masked,  &detected_config};
  found.background = measured.background;
  found.whole = measured.whole;
  found.mesh = std::move(measured.mesh);
  found.above = std::move(measured.above);
  found.filled = std::move(measured.filled);
  found.levels = measured.levels;
  found.analysed = std::move(measured.analysed);
}

}  // namespace srcextract
