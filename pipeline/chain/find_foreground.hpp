#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "config/config.hpp"
#include "pipeline/chain/detection.hpp"
#include "pipeline/chain/step.hpp"
#include "stages/convolve/kernel.hpp"
#include "stages/detect/false_discovery.hpp"
#include "stages/detect/filter_noise.hpp"
#include "stages/detect/matched_filter.hpp"
#include "stages/detect/morphology.hpp"
#include "stages/detect/pixels_of_runs.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/sky/background.hpp"
#include "stages/sky/given_sky.hpp"
#include "stages/sky/lower_noise.hpp"
#include "stages/sky/row_sample.hpp"
#include "stages/weights/noise_scale.hpp"

namespace srcextract {

/// Finds the runs (consecutive foreground pixels of one row) above the levels. If the noise of each pixel is known, the
/// levels are multiples of that noise.
///
/// `bright` is used only if it belongs to `image`. `near`: if the rows of the image are computed on demand, only runs
/// that touch a run of `near` are returned (find_runs). A device ignores `near`.
template <class Where>
Runs<Where> threshold(const Image<float, Where>& image, const Value<Levels, Where>& levels,
                      const NoiseMap<Where>& noise, const BrightQuads<Where>& bright, const Where& where,
                      const Runs<Where>* near = nullptr) {
  const auto find = [&](const auto& by) {
    if constexpr (std::is_same_v<Where, Cpu>)
      return find_runs(image, levels, by, where, near);
    else
      return find_runs(image, levels, by, where);
  };
  if (noise.variance != nullptr) return find(*noise.variance);
  return noise.mesh != nullptr ? find(*noise.mesh) : find(bright);
}

/// Finds the runs above the threshold in the image in which sources are found, which may be the result of the matched
/// filter.
template <class Where>
Runs<Where> threshold_found(const Value<Levels, Where>& levels, const Pixels<Where>& pixels, const Plan& plan,
                            const Detection<Where>& found, const Where& where) {
  if (found.match.pixels.empty())
    return threshold(found_image(pixels, found), levels, noise_of_found(pixels, plan, found), found.bright, where);
  return find_runs(found.match, levels_of_match(levels, where), where);
}

/// Measures sky and noise of the detection image, if thresholds are multiples of that noise.
///
/// With a mesh, the noise is that of lower_noise(), and `found.filtered` keeps its map. Without one, and of sums of
/// squares, whose pixels below the sky tell little of those above, it is the clipped sigma, in a large image of every
/// n-th row (row_step). The level is measured with it, unless the level is given: it has been subtracted, and is 0.
struct FindOwnNoise : KeepsNothing, ByRows<0> {
  static constexpr const char* name = "filtered noise";
  static bool used(const Plan& plan) { return plan.counts_in_own_noise(); }

  template <class S>
  static void run(S& state) {
    const Config& config = state.config();
    const auto& where = state.where;
    auto& found = state.found;
    const auto& image = found_image(state.pixels, found);
    const auto clipped = [&] {
      const std::int64_t step = row_step(image.shape);
      return step == 1 ? estimate_background(image, config.background, where)
                       : estimate_background(every_nth_row(image, step, where), config.background, where);
    };
    const bool level_is_given = has_level(config.given_sky);
    if (found.mesh.level.empty() || level_is_given || config.combine.method == CombineMethod::chi_square) {
      state.own_noise = clipped();
      if (level_is_given) give_sky(GivenSky{.level = true}, state.own_noise, where);
      return;
    }
    auto noise =
        lower_noise(image, found.mesh, found.background, detection_filter(state.pixels, state.plan).white_noise(),
                    state.pixels.negated, clipped, config.background, where);
    state.own_noise = std::move(noise.background);
    found.filtered = std::move(noise.mesh);
  }
};

/// Converts a threshold to levels in pixel values. `state.found` has the sky of the image; FindOwnNoise must have run.
template <class S>
auto levels_at(double threshold, S& state) {
  const auto& found = state.found;
  const auto& detected = state.plan.counts_in_own_noise() ? state.own_noise : found.background;
  auto levels = resolve_levels(found.background, detected, threshold, state.config(), state.where);
  if (state.plan.scales_variance()) set_noise_scale(levels, found.noise_scale, state.where);
  return levels;
}

/// Finds the levels of the detection threshold. Later steps may raise them.
struct FindLevels : AlwaysUsed, KeepsNothing, ByRows<0> {
  static constexpr const char* name = nullptr;

  template <class S>
  static void run(S& state) {
    const DetectionConfig& config = state.config().detection;
    state.found.levels = levels_at(controls_false_discoveries(config) ? 1 : config.threshold, state);
  }
};

/// Applies the matched filter to the measured image, or to the image divided by its noise that `found.match` contains.
/// The filter weights each pixel by its noise if thresholds follow that noise. Thresholds are multiples of the noise in
/// the result.
struct Match : InOnePiece {
  static constexpr const char* name = "match";
  static bool used(const Plan& plan) { return plan.is_matched(); }
  /// Both sums of the filter, and the terms that pixels add to these sums.
  static KeptImages keeps(const Plan&) { return {.host = 3, .device = 3}; }

  template <class S>
  static void run(S& state) {
    auto& found = state.found;
    const auto& image = found.match.pixels.empty() ? measured_image(state.pixels, found) : found.match;
    found.match = matched_filter(image, make_kernel(state.config().convolve), found.background, found.levels,
                                 noise_of_pixels(state.pixels, state.plan, found), state.where);
    state.match_noise = filter_noise(found.match, found.levels, state.where);
    raise_levels(found.levels, state.match_noise, state.where);
  }
};

/// Raises the levels from 1 sigma to the threshold that gives the configured rate of false discoveries.
struct ControlFalseDiscoveries : KeepsNothing, InOnePiece {
  static constexpr const char* name = "false discoveries";
  static bool used(const Plan& plan) { return controls_false_discoveries(plan.config.detection); }

  template <class S>
  static void run(S& state) {
    using Where = typename S::Where;
    auto& found = state.found;
    const DetectionConfig& config = state.config().detection;
    const Value<double, Where> threshold =
        found.match.pixels.empty()
            ? false_discovery_threshold(found_image(state.pixels, found), found.levels,
                                        noise_of_found(state.pixels, state.plan, found), config, state.where)
            : false_discovery_threshold(found.match, levels_of_match(found.levels, state.where), NoiseMap<Where>{},
                                        config, state.where);
    raise_levels(found.levels, threshold, state.where);
  }
};

/// Finds the pixels above the detection threshold.
struct FindForeground : AlwaysUsed, KeepsNothing, ByRows<1> {
  static constexpr const char* name = "threshold";

  template <class S>
  static void run(S& state) {
    state.found.runs = threshold_found(state.found.levels, state.pixels, state.plan, state.found, state.where);
  }
};

/// Finds the pixels above detection.seed.
struct FindSeeds : KeepsNothing, ByRows<0> {
  static constexpr const char* name = "seed";
  static bool used(const Plan& plan) { return plan.config.detection.seed != 0; }

  template <class S>
  static void run(S& state) {
    auto levels = levels_at(state.config().detection.seed, state);
    if (state.plan.is_matched()) raise_levels(levels, state.match_noise, state.where);
    state.found.seeds = threshold_found(levels, state.pixels, state.plan, state.found, state.where);
  }
};

/// Erodes or opens the foreground (morphological operations).
struct ReshapeForeground : KeepsNothing, ByRows<0> {
  static constexpr const char* name = "morphology";
  static bool used(const Plan& plan) { return plan.config.morphology.operation != MorphologicalOperation::none; }

  template <class S>
  static void run(S& state) {
    auto& found = state.found;
    found.thresholded = std::exchange(found.runs, apply_morphology(found.runs, state.config().morphology, state.where));
  }
};

/// Copies the pixels of all runs, and their variances, out of images on demand (images whose rows are computed each
/// time a step reads them). Without the copy, every step of deblending and CLEAN would compute these rows again.
struct KeepPixelsOfRuns : KeepsNothing, ByRows<0> {
  static constexpr const char* name = "pixels of runs";
  static bool used(const Plan& plan) {
    return plan.known && plan.known->on_demand && (plan.divides() || plan.config.deblend.clean);
  }

  template <class S>
  static void run([[maybe_unused]] S& state) {
    if constexpr (std::is_same_v<typename S::Where, Cpu>) {
      const Pixels<Cpu>& pixels = state.pixels;
      Detection<Cpu>& found = state.found;
      ImagesOfRuns<Cpu>& of_runs = found.of_runs;
      if (auto taken = pixels_of_runs(found_image(pixels, found), measured_image(pixels, found), found.runs,
                                      pixels.masked->total() > 0, state.where))
        std::tie(of_runs.found, of_runs.measured) = *std::move(taken);
      const Image<float, Cpu>* const found_noise = noise_of_found(pixels, state.plan, found).variance;
      if (found_noise == nullptr) return;
      if (auto taken = pixels_of_runs(*found_noise, measured_noise(pixels, found), found.runs, false, state.where))
        std::tie(of_runs.found_noise, of_runs.measured_noise) = *std::move(taken);
    }
  }
};

/// Finds the pixels of the measured image above the analysis threshold. If rows are computed on demand, only runs that
/// touch the foreground are kept: a low threshold could select a tenth of all pixels, too many for the memory.
struct FindAnalysed : KeepsNothing, ByRows<0> {
  static constexpr const char* name = "analysis";
  static bool used(const Plan& plan) { return plan.analyses(); }

  template <class S>
  static void run(S& state) {
    auto& found = state.found;
    found.analysed =
        threshold(measured_of_runs(state.pixels, found), levels_at(state.config().detection.analysis_threshold, state),
                  noise_of_pixels(state.pixels, state.plan, found), found.bright, state.where, &found.runs);
  }
};

/// From the detection image to the pixels above the thresholds.
using ForegroundSteps = PartList<FindOwnNoise, FindLevels, Match, ControlFalseDiscoveries, FindForeground, FindSeeds,
                                 ReshapeForeground, KeepPixelsOfRuns, FindAnalysed>;

}  // namespace srcextract
