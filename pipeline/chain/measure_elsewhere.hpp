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
Detection<Where> detect_for_others(const Pixels<Where>& pixels, const Plan& plan, const Where& where, Done&& done,
                                   Image<float, Where>* last_read = nullptr) {
  Detection<Where> found;
  DetectionState state(pixels, plan, found, where, done, last_read);
  run_steps(JoinedList<FindingSteps, PartList<Measure, SumVariance>>(), state);
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
/// Then finds the pixels above the analysis threshold, and frees the filtered image.
template <class S>
void find_levels_elsewhere(const Levels& of_found, S& state) {
  const Plan& plan = state.plan;
  auto& found = state.found;
  if (plan.counts_in_own_noise()) run_steps(JoinedList<FilterSteps, PartList<FindOwnNoise>>(), state);
  found.filtered = {};
  found.image = {};
  const bool raised = controls_false_discoveries(plan.config.detection) || plan.is_matched();
  found.levels = levels_at(raised ? of_found.in_noise : plan.config.detection.threshold, state);
  run_steps(PartList<FindAnalysed>(), state);
}

/// Dual-image mode: computes fluxes and variances, the sums over the pixels of each source in the measured image. Flags
/// sources with masked pixels or beside masked pixels.
template <class S>
void sum_elsewhere(S& state) {
  const auto& pixels = state.pixels;
  const auto& where = state.where;
  auto& found = state.found;
  const auto& image = measured_image(pixels, found);
  const auto sum = [&](const auto& of) { return sum_over(of, pixels, found, where); };
  const bool masked = fetch(pixels.masked, where).total() > 0;
  found.fluxes = masked ? sum(fill_with_background(image, found.levels, where)) : sum(image);
  if (masked) add_near_masked(sum(image), found.components, found.sums, where);
  state.done(MeasureFlux::name);
  if (!SumVariance::used(state.plan)) return;
  const auto& noise = measured_noise(pixels, found);
  found.variances = masked ? sum(fill_with_zero(noise, where)) : sum(noise);
  state.done(SumVariance::name);
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
Detection<Where> measure_elsewhere(const FoundElsewhere<Where>& sources, const Pixels<Where>& pixels, const Plan& plan,
                                   const Where& where, Done&& done, Image<float, Where>* last_read = nullptr) {
  Detection<Where> found = copy_of_sources(sources.found, where);
  DetectionState state(pixels, plan, found, where, done, last_read);
  const FoundImage<Where> found_in{measured_image(sources.pixels, sources.found),
                                   measured_noise(sources.pixels, sources.found), sources.found.levels,
                                   sources.sky.config->weights};
  state.found_in = &found_in;
  run_steps(BackgroundSteps(), state);
  find_levels_elsewhere(*sources.sky.found.levels, state);
  sum_elsewhere(state);
  found.least_variance =
      least_variance(NoiseMap<Where>{.mesh = noise_mesh(plan, found)}, found.runs, own_components(found), where);
  run_steps(PartList<CountAreas, MeasurePhotometry>(), state);
  if (plan.shows_pixels()) found.image = copy_of(found_image(sources.pixels, sources.found), where);
  return found;
}

}  // namespace srcextract
