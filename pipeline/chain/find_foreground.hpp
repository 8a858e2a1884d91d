#pragma once

#include <type_traits>
#include <utility>

#include "config/config.hpp"
#include "pipeline/chain/detection.hpp"
#include "pipeline/chain/find_sky.hpp"
#include "stages/detect/false_discovery.hpp"
#include "stages/detect/filter_noise.hpp"
#include "stages/detect/matched_filter.hpp"
#include "stages/detect/morphology.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/sky/background.hpp"
#include "stages/sky/row_sample.hpp"
#include "stages/weights/noise_scale.hpp"

namespace srcextract {

/// Finds the runs of pixels above the levels, which scale with each pixel's noise if that is known. `bright` may be of
/// another image. `near` is as in find_runs(); a device ignores it.
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

/// Finds the pixels above the threshold in the detection image, or in the result of the matched filter.
template <class Where>
Runs<Where> threshold_found(const Value<Levels, Where>& levels, const Pixels<Where>& pixels, const Config& config,
                            const Detection<Where>& found, const Where& where) {
  if (found.match.pixels.empty())
    return threshold(found_image(pixels, found), levels, noise_of_found(pixels, config, found), found.bright, where);
  return find_runs(found.match, levels_of_match(levels, where), where);
}

/// Applies the matched filter to the measured image, or to the weighed image. Weighs pixels by their noise, from a map
/// of weights or from the mesh, if thresholds follow that noise.
template <class Where>
Image<float, Where> match(const Pixels<Where>& pixels, const Config& config, const Detection<Where>& found,
                          const Where& where) {
  const Image<float, Where>& image = found.match.pixels.empty() ? measured_image(pixels, found) : found.match;
  return matched_filter(image, make_kernel(config.convolve), found.background, found.levels,
                        noise_of_pixels(pixels, config, found), where);
}

/// Finds the threshold, in sigma, that gives the configured rate of false discoveries. Requires that `found` has the
/// levels of threshold 1.
template <class Where>
Value<double, Where> threshold_of_rate(const Pixels<Where>& pixels, const Config& config, const Detection<Where>& found,
                                       const Where& where) {
  if (found.match.pixels.empty())
    return false_discovery_threshold(found_image(pixels, found), found.levels, noise_of_found(pixels, config, found),
                                     config.detection, where);
  return false_discovery_threshold(found.match, levels_of_match(found.levels, where), NoiseMap<Where>{},
                                   config.detection, where);
}

/// Whether thresholds are multiples of the noise in the detection image (filtered), not in the measured image. The
/// matched filter measures its noise by itself.
inline bool counts_in_own_noise(const Config& config) {
  return config.detection.threshold_unit == ThresholdUnit::detection_sigma && !is_matched(config);
}

/// Converts thresholds to levels (pixel values) for the image whose sky is in `found`. If thresholds are multiples of
/// the detection image's own noise, measures that noise in as many of its rows as are needed.
template <class Where>
class LevelsOf {
 public:
  LevelsOf(const Pixels<Where>& pixels, const Config& config, const Detection<Where>& found, const Where& where)
      : config_(config),
        found_(found),
        where_(where),
        in_own_noise_(counts_in_own_noise(config) && has_detection_image(pixels, config)),
        scaled_(has_ratios(pixels, config)) {
    if (in_own_noise_) own_ = noise_of(found_image(pixels, found));
  }

  Value<Levels, Where> operator()(double threshold) const {
    const Value<Background, Where>& detected = in_own_noise_ ? own_ : found_.background;
    Value<Levels, Where> levels = resolve_levels(found_.background, detected, threshold, config_, where_);
    if (scaled_) set_noise_scale(levels, found_.noise_scale, where_);
    return levels;
  }

 private:
  Value<Background, Where> noise_of(const Image<float, Where>& image) const {
    const std::int64_t step = row_step(image.shape);
    if (step == 1) return estimate_background(image, config_.background, where_);
    return estimate_background(every_nth_row(image, step, where_), config_.background, where_);
  }

  const Config& config_;
  const Detection<Where>& found_;
  const Where& where_;
  bool in_own_noise_, scaled_;
  Value<Background, Where> own_;
};

/// Finds the pixels above the thresholds of detection and of seeds, in the image in which sources are found. Thresholds
/// of the matched filter are counted in its own noise.
template <class Where, class Done>
void find_foreground(const LevelsOf<Where>& levels_at, const Pixels<Where>& pixels, const Config& config,
                     Detection<Where>& found, const Where& where, Done&& done) {
  const bool by_rate = controls_false_discoveries(config.detection);
  const bool matched = is_matched(config);
  found.levels = levels_at(by_rate ? 1 : config.detection.threshold);
  Value<double, Where> noise;
  if (matched) {
    found.match = match(pixels, config, found, where);
    noise = filter_noise(found.match, found.levels, where);
    raise_levels(found.levels, noise, where);
    done("match");
  }
  if (by_rate) {
    raise_levels(found.levels, threshold_of_rate(pixels, config, found, where), where);
    done("false discoveries");
  }
  found.runs = threshold_found(found.levels, pixels, config, found, where);
  done("threshold");
  if (config.detection.seed == 0) return;
  Value<Levels, Where> of_seeds = levels_at(config.detection.seed);
  if (matched) raise_levels(of_seeds, noise, where);
  found.seeds = threshold_found(of_seeds, pixels, config, found, where);
  done("seed");
}

/// Finds the pixels of the measured image above the analysis threshold, if there is one. Where rows are made on demand,
/// only those near the foreground: a low threshold lets a tenth of all pixels pass.
template <class Where, class Done>
void find_analysed(const LevelsOf<Where>& levels_at, const Pixels<Where>& pixels, const Config& config,
                   Detection<Where>& found, const Where& where, Done&& done) {
  if (config.detection.analysis_threshold == 0) return;
  found.analysed = threshold(measured_of_runs(pixels, found), levels_at(config.detection.analysis_threshold),
                             noise_of_pixels(pixels, config, found), found.bright, where, &found.runs);
  done("analysis");
}

/// Erodes or opens the foreground, if the configuration asks for it.
template <class Where, class Done>
void reshape_foreground(const MorphologyConfig& config, Detection<Where>& found, const Where& where, Done&& done) {
  if (config.operation == MorphologicalOperation::none) return;
  found.thresholded = std::exchange(found.runs, apply_morphology(found.runs, config, where));
  done("morphology");
}

}  // namespace srcextract
