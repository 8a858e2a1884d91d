#pragma once

#include <type_traits>
#include <utility>

#include "config/config.hpp"
#include "pipeline/chain/detect_sources.hpp"
#include "pipeline/chain/found_elsewhere.hpp"
#include "pipeline/chain/make_catalog.hpp"
#include "stages/measure/fill_masked.hpp"

namespace srcextract {

/// Dual-image mode: finds the sources of the detection image, which are measured in other images later, and computes
/// the sums over their pixels in the detection image.
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

/// Dual-image mode: keeps the pixels, the parts of `found` that later measurements need, and `sky`, which is in host
/// memory. Frees the rest.
template <class Where>
FoundElsewhere<Where> keep_found(Pixels<Where>&& pixels, Detection<Where>&& found, FoundSky&& sky) {
  const auto leave = [](auto part, auto& one) {
    if constexpr (part.elsewhere < Elsewhere::kept) one = std::remove_reference_t<decltype(one)>();
  };
  for_each_part(leave, found);
  return {std::move(pixels), std::move(found), std::move(sky)};
}

/// Dual-image mode: copies the sources' runs and rows, but no images, as the start of the measurement in another image.
template <class Where>
Detection<Where> copy_of_sources(const Detection<Where>& found, const Where& where) {
  Detection<Where> copy;
  const auto copy_part = [&](auto part, const auto& from, auto& to) {
    if constexpr (part.elsewhere == Elsewhere::copied) to = copy_of(from, where);
  };
  for_each_part(copy_part, found, copy);
  return copy;
}

/// Dual-image mode: sets the levels of the measured image. `of_found` are the levels of the detection image. A rate of
/// false discoveries or the matched filter may have raised the threshold there; then the raised threshold is used here.
template <class Where, class Done>
void find_levels_elsewhere(const Pixels<Where>& pixels, const Config& config, const Levels& of_found,
                           Detection<Where>& found, const Where& where, Done&& done) {
  if (counts_in_own_noise(config)) make_detection_image(pixels, config, found, where, done);
  const LevelsOf<Where> levels_at(pixels, config, found, where);
  found.filtered = {};
  found.image = {};
  found.match = {};
  const bool raised = controls_false_discoveries(config.detection) || config.convolve.filter == Filter::matched;
  found.levels = levels_at(raised ? of_found.in_noise : config.detection.threshold);
  find_analysed(levels_at, pixels, config, found, where, done);
}

/// Dual-image mode: computes fluxes and variances, the sums over the pixels of each source in the measured image. Flags
/// sources with masked pixels or beside masked pixels.
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

/// Measures sources in the image `pixels`, whose sky is subtracted first. The results were checked against SExtractor
/// 2.25 in its dual-image mode. On a GPU, the host waits once, to learn whether a pixel is masked. `done` and
/// `last_read` are explained at detect_sources().
/// From the image in which sources were found, the result has:
/// - the pixels of each source, and `sums`, hence positions and shapes;
/// - the radii of Kron's and Petrosian's ellipses, and the noise of positions.
/// From the measured image, the result has:
/// - the sky, `fluxes`, `variances` and the pixels above the analysis threshold;
/// - `least_variance`, if the mesh gives the noise;
/// - the rest of `photometry`.
/// The caller must set `found_in`, from which thresholds and errors of positions follow.
/// A pixel of a source that is masked in `pixels` adds 0 to the flux. Without a weight map, such a pixel adds the noise
/// of the sky to the error. The source is flagged.
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
