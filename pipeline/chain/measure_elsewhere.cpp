#include "pipeline/chain/measure_elsewhere.hpp"

#include <algorithm>
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

template <class T>
Buffer<T, Cpu> copy_of(const Buffer<T, Cpu>& buffer, const Cpu& where) {
  Buffer<T, Cpu> copy(buffer.size(), where);
  std::copy(buffer.begin(), buffer.end(), copy.begin());
  return copy;
}

Components<Cpu> copy_of(const Components<Cpu>& components, const Cpu& where) {
  return {copy_of(components.label, where), components.counts};
}

FoundSky<Cpu> copy_of(const FoundSky<Cpu>& sky, const Cpu& where) {
  const SkyMesh<Cpu>& mesh = sky.mesh;
  return {sky.background,
          sky.whole,
          {mesh.grid, copy_of(mesh.level, where), copy_of(mesh.rms, where), copy_of(mesh.level_bend, where),
           copy_of(mesh.rms_bend, where)},
          sky.levels,
          copy_of(sky.variances, where),
          sky.masked,
          sky.config};
}

/// Which pixels are whose, and where sources are: not the images.
Detection<Cpu> copy_of_sources(const FoundElsewhere& from, const Cpu& where) {
  const Detection<Cpu>& found = from.found;
  Detection<Cpu> copy;
  copy.runs = {found.runs.shape, copy_of(found.runs.runs, where), copy_of(found.runs.row_begin, where)};
  copy.components = copy_of(found.components, where);
  copy.parentage = copy_of(found.parentage, where);
  copy.cleaned.eaten = copy_of(found.cleaned.eaten, where);
  copy.cleaned.own = copy_of(found.cleaned.own, where);
  copy.cleaned.own_sums = copy_of(found.cleaned.own_sums, where);
  copy.sums = copy_of(found.sums, where);
  copy.found_in = copy_of(from.sky, where);
  return copy;
}

}  // namespace

FoundElsewhere keep_found(Pixels<Cpu>&& pixels, const Config& config, Detection<Cpu>&& found, const Cpu& where,
                          StageClock& clock) {
  const auto sum = [&](const Image<float, Cpu>& of) {
    return measure_sources(of, found.runs, found.components, found.levels, pixels.masked, where);
  };
  found.sums = sum(found_image(pixels, found));
  clock.done("measure");
  const Image<float, Cpu>& noise = measured_noise(pixels, found);
  Buffer<SourceSums, Cpu> variances;
  if (!noise.pixels.empty()) variances = sum(noise);
  found.match = {};
  for (Runs<Cpu>* runs : {&found.thresholded, &found.seeds, &found.analysed, &found.island_runs}) *runs = {};
  found.islands = {};
  found.core_pixels = {};
  FoundSky<Cpu> sky{found.background, found.whole, std::move(found.mesh), found.levels, std::move(variances),
                    pixels.masked,    &config};
  return {std::move(pixels), std::move(found), std::move(sky)};
}

Detection<Cpu> measure_elsewhere(const FoundElsewhere& sources, const Pixels<Cpu>& pixels, const Config& config,
                                 const Cpu& where, StageClock& clock, Image<float, Cpu>* last_read) {
  const auto done = [&](const char* stage) { clock.done(stage); };
  Detection<Cpu> measured;
  subtract_own_sky(pixels, config, measured, where, done, last_read);
  find_levels(pixels, config, *sources.sky.levels, measured, where, clock);
  Detection<Cpu> found = copy_of_sources(sources, where);
  sum_over_sources(pixels, config, measured, found, where, clock);
  if (measures_photometry(config)) {
    const FoundImage<Cpu> found_in{measured_image(sources.pixels, sources.found),
                                   measured_noise(sources.pixels, sources.found), sources.sky.levels};
    PhotometryInput<Cpu> input = photometry_input(measured_image(pixels, measured), measured_noise(pixels, measured),
                                                  measured.levels, config, found);
    input.found_in = &found_in;
    found.photometry = measure_photometry(input, config, where);
    done("photometry");
  }
  if (shows_pixels(config)) found.image = copy_of(found_image(sources.pixels, sources.found), where);
  found.background = measured.background;
  found.whole = measured.whole;
  found.mesh = std::move(measured.mesh);
  found.above = std::move(measured.above);
  found.filled = std::move(measured.filled);
  found.levels = measured.levels;
  found.analysed = std::move(measured.analysed);
  return found;
}

}  // namespace srcextract
