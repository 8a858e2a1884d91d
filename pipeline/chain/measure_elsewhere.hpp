#pragma once

#include <type_traits>
#include <utility>

#include "config/config.hpp"
#include "pipeline/chain/detect_sources.hpp"
#include "pipeline/chain/found_elsewhere.hpp"
#include "pipeline/chain/make_catalog.hpp"
#include "stages/measure/fill_masked.hpp"

namespace srcextract {

/// Detects the sources of an image, to be measured in other images, and sums over their pixels in this image.
template <class Where, class Done>
Detection<Where> detect_for_others(const Pixels<Where>& pixels, const Config& config, const Where& where, Done&& done,
                                   Image<float, Where>* last_read = nullptr) {
  Detection<Where> found;
  find_sources(pixels, config, found, where, done, last_read);
  found.sums = sum_over(found_of_runs(pixels, found), pixels, found, where);
  done("measure");
  const Image<float, Where>& noise = noise_of_runs(pixels, found);
  if (!noise.pixels.empty()) found.variances = sum_over(noise, pixels, found, where);
  find_least_variance(noise_of_found(pixels, config, found), found, where);
  found.of_runs = {};
  return found;
}

/// Keeps the pixels, what later measurements need of `found`, and `sky`, which lies on the host; drops the rest.
template <class Where>
FoundElsewhere<Where> keep_found(Pixels<Where>&& pixels, Detection<Where>&& found, FoundSky&& sky) {
  const auto leave = [](auto part, auto& one) {
    if constexpr (part.elsewhere < Elsewhere::kept) one = std::remove_reference_t<decltype(one)>();
  };
  for_each_part(leave, found);
  return {std::move(pixels), std::move(found), std::move(sky)};
}

/// Copies the runs and rows of sources, but no images, to begin the measurement in another image.
template <class Where>
Detection<Where> copy_of_sources(const Detection<Where>& found, const Where& where) {
  Detection<Where> copy;
  const auto copy_part = [&](auto part, const auto& from, auto& to) {
    if constexpr (part.elsewhere == Elsewhere::copied) to = copy_of(from, where);
  };
  for_each_part(copy_part, found, copy);
  return copy;
}

/// Sets the levels of the measured image. `of_found` are the detection image's levels. A rate of false discoveries, or
/// the matched filter, may have raised their threshold; then the raised threshold is used.
template <class Where, class Done>
void find_levels_elsewhere(const Pixels<Where>& pixels, const Config& config, const Levels& of_found,
                           Detection<Where>& found, const Where& where, Done&& done) {
  if (counts_in_own_noise(config)) make_detection_image(pixels, config, found, where, done);
  const LevelsOf<Where> levels_at(pixels, config, found, where);
  found.image = {};
  found.match = {};
  const bool raised = controls_false_discoveries(config.detection) || config.convolve.filter == Filter::matched;
  found.levels = levels_at(raised ? of_found.in_noise : config.detection.threshold);
  find_analysed(levels_at, pixels, config, found, where, done);
}

/// Computes sums over each source's pixels in the measured image: fluxes, then variances. Flags sources with or beside
/// masked pixels.
template <class Where, class Done>
void sum_elsewhere(const Pixels<Where>& pixels, Detection<Where>& found, const Where& where, Done&& done) {
  const Image<float, Where>& image = measured_image(pixels, found);
  const auto sum = [&](const Image<float, Where>& of) { return sum_over(of, pixels, found, where); };
  const bool masked = fetch(pixels.masked, where).total() > 0;
  found.fluxes = masked ? sum(fill_with_background(image, found.levels, where)) : sum(image);
  if (masked) add_near_masked(sum(image), found.components, found.sums, where);
  done("flux");
  const Image<float, Where>& noise = measured_noise(pixels, found);
  if (!noise.pixels.empty()) {
    found.variances = masked ? sum(fill_with_zero(noise, where)) : sum(noise);
    done("variance");
  }
}

/// Measures sources in the image `pixels`, whose sky is subtracted here (SExtractor's dual image mode; checked against
/// runs of 2.25). Runs on `Where`; a device waits once, to learn whether a pixel is masked. `done` and `last_read` mean
/// what they mean in detect_sources.
/// The result has from the image in which sources were found:
/// - the pixels of each source, and `sums`, so positions and shapes;
/// - the radii of Kron's and Petrosian's ellipses, and the noise of positions.
/// It has from the measured image:
/// - the sky, `fluxes`, `variances` and the pixels above the analysis threshold;
/// - `least_variance`, if it follows the mesh;
/// - the rest of `photometry`.
/// The caller must fill found_in, from which thresholds and errors of positions follow. A source's pixel that is masked
/// in `pixels` adds nothing to its flux. Without a map of noise it adds the noise of the sky to the error. The source
/// is flagged.
template <class Where, class Done>
Detection<Where> measure_elsewhere(const FoundElsewhere<Where>& sources, const Pixels<Where>& pixels,
                                   const Config& config, const Where& where, Done&& done,
                                   Image<float, Where>* last_read = nullptr) {
  Detection<Where> found = copy_of_sources(sources.found, where);
  subtract_own_sky(pixels, config, found, where, done, last_read);
  find_levels_elsewhere(pixels, config, *sources.sky.found.levels, found, where, done);
  sum_elsewhere(pixels, found, where, done);
  find_areas(config.detection, found, where, done);
  find_least_variance({.mesh = noise_mesh(config, found)}, found, where);
  const FoundImage<Where> found_in{measured_image(sources.pixels, sources.found),
                                   measured_noise(sources.pixels, sources.found), sources.found.levels,
                                   sources.sky.config->weights};
  find_photometry(pixels, config, found, where, done, &found_in);
  if (shows_pixels(config)) found.image = copy_of(found_image(sources.pixels, sources.found), where);
  return found;
}

}  // namespace srcextract
