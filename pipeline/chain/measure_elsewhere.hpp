#pragma once

#include <type_traits>
#include <utility>

#include "config/config.hpp"
#include "pipeline/chain/detect_sources.hpp"
#include "pipeline/chain/found_elsewhere.hpp"
#include "pipeline/chain/make_catalog.hpp"
#include "stages/measure/fill_masked.hpp"

namespace srcextract {

/// Sums over sources in the image in which find_sources found them.
template <class Where, class Done>
void measure_found(const Pixels<Where>& pixels, const Config& config, Detection<Where>& found, const Where& where,
                   Done&& done) {
  const auto sum = [&](const Image<float, Where>& of) {
    return measure_sources(of, found.runs, found.components, found.levels, pixels.masked, where);
  };
  found.sums = sum(found_image(pixels, found));
  done("measure");
  const Image<float, Where>& noise = measured_noise(pixels, found);
  if (!noise.pixels.empty()) found.variances = sum(noise);
  find_least_variance(pixels, config, found, where);
}

/// Keeps what was found in `pixels`; their sky is on the host, too.
template <class Where>
FoundElsewhere<Where> keep_found(Pixels<Where>&& pixels, Detection<Where>&& found, FoundSky&& sky) {
  const auto leave = [](auto part, auto& one) {
    if constexpr (part.elsewhere < Elsewhere::kept) one = std::remove_reference_t<decltype(one)>();
  };
  for_each_part(leave, found);
  return {std::move(pixels), std::move(found), std::move(sky)};
}

/// Copies the pixels and positions of sources, but no images.
template <class Where>
Detection<Where> copy_of_sources(const Detection<Where>& found, const Where& where) {
  Detection<Where> copy;
  const auto copy_part = [&](auto part, const auto& from, auto& to) {
    if constexpr (part.elsewhere == Elsewhere::copied) to = copy_of(from, where);
  };
  for_each_part(copy_part, found, copy);
  return copy;
}

/// Finds the levels of the measured image. `of_found` are those of the other image. They were raised if they follow
/// from a rate of false discoveries, or from the noise of the matched filter; the raised threshold is used here.
template <class Where, class Done>
void find_levels_elsewhere(const Pixels<Where>& pixels, const Config& config, const Levels& of_found,
                           Detection<Where>& measured, const Where& where, Done&& done) {
  const bool in_own_noise = config.detection.threshold_unit == ThresholdUnit::detection_sigma;
  if (in_own_noise) make_detection_image(measured_image(pixels, measured), pixels.noise, config, measured, where, done);
  const LevelsOf<Where> levels_at(found_image(pixels, measured), pixels, config, measured, where);
  measured.image = {};
  measured.match = {};
  const bool raised = controls_false_discoveries(config.detection) || config.convolve.filter == Filter::matched;
  measured.levels = levels_at(raised ? of_found.in_noise : config.detection.threshold);
  if (config.detection.analysis_threshold == 0) return;
  measured.analysed = threshold(measured_image(pixels, measured), levels_at(config.detection.analysis_threshold),
                                noise_of_pixels(pixels, config, measured), measured.bright, where);
  done("analysis");
}

/// Sums over the sources of `found`, in an image whose sky is in `measured`.
template <class Where, class Done>
void sum_elsewhere(const Pixels<Where>& pixels, const Config& config, const Detection<Where>& measured,
                   Detection<Where>& found, const Where& where, Done&& done) {
  const Image<float, Where>& image = measured_image(pixels, measured);
  const auto sum = [&](const Image<float, Where>& of) {
    return measure_sources(of, found.runs, found.components, measured.levels, pixels.masked, where);
  };
  const bool masked = fetch(pixels.masked, where).total() > 0;
  found.fluxes = masked ? sum(fill_with_background(image, measured.levels, where)) : sum(image);
  if (masked) add_near_masked(sum(image), found.components, found.sums, where);
  done("flux");
  const Image<float, Where>& noise = measured_noise(pixels, measured);
  if (!noise.pixels.empty()) {
    found.variances = masked ? sum(fill_with_zero(noise, where)) : sum(noise);
    done("variance");
  }
  find_areas(measured.analysed, config, found, where, done);
}

/// Measures sources in the light of `pixels`, whose sky is subtracted here (SExtractor's dual image mode; checked
/// against runs of 2.25). Runs on `Where`; a device waits once, to learn whether a pixel is masked. `done` and
/// `last_read` are as in detect_sources.
///
/// The result has from the image in which sources were found:
/// - the pixels of each source, and `sums`, so positions and shapes;
/// - the radii of Kron's and Petrosian's ellipses, and the noise of positions.
///
/// It has from the measured image:
/// - the sky, `fluxes`, `variances` and the pixels above the analysis threshold;
/// - `least_variance` by its mesh;
/// - the rest of `photometry`.
///
/// The caller must fill found_in, from which thresholds and errors of positions follow. A source's pixel that is masked
/// in `pixels` adds nothing to its flux, and the noise of the sky to its error; the source is flagged.
template <class Where, class Done>
Detection<Where> measure_elsewhere(const FoundElsewhere<Where>& sources, const Pixels<Where>& pixels,
                                   const Config& config, const Where& where, Done&& done,
                                   Image<float, Where>* last_read = nullptr) {
  Detection<Where> measured;
  subtract_own_sky(pixels, config, measured, where, done, last_read);
  find_levels_elsewhere(pixels, config, *sources.sky.found.levels, measured, where, done);
  Detection<Where> found = copy_of_sources(sources.found, where);
  sum_elsewhere(pixels, config, measured, found, where, done);
  if (noise_varies(config))
    found.least_variance = least_variance(measured.mesh, found.runs, own_components(config, found), where);
  if (measures_photometry(config)) {
    const FoundImage<Where> found_in{measured_image(sources.pixels, sources.found),
                                     measured_noise(sources.pixels, sources.found), sources.found.levels,
                                     sources.sky.config->weights};
    PhotometryInput<Where> input = photometry_input(measured_image(pixels, measured), measured_noise(pixels, measured),
                                                    measured.levels, config, found);
    input.found_in = &found_in;
    if (noise_varies(config)) input.least_variance = &found.least_variance;
    found.photometry = measure_photometry(input, config, where);
    done("photometry");
  }
  if (shows_pixels(config)) found.image = copy_of(found_image(sources.pixels, sources.found), where);
  found.background = std::move(measured.background);
  found.whole = std::move(measured.whole);
  found.mesh = std::move(measured.mesh);
  found.above = std::move(measured.above);
  found.filled = std::move(measured.filled);
  found.levels = std::move(measured.levels);
  found.analysed = std::move(measured.analysed);
  return found;
}

}  // namespace srcextract
