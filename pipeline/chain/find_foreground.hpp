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
Runs<Where> threshold_found(const Value<Levels, Where>& levels, const Pixels<Where>& pixels, const Config& config,
                            const Detection<Where>& found, const Where& where) {
  if (found.match.pixels.empty())
    return threshold(found_image(pixels, found), levels, noise_of_found(pixels, config, found), found.bright, where);
  return find_runs(found.match, levels_of_match(levels, where), where);
}

/// Applies the matched filter to the measured image, or to the image divided by its noise that `found.match` contains.
/// The filter weights each pixel by its noise if thresholds follow that noise.
template <class Where>
Image<float, Where> match(const Pixels<Where>& pixels, const Config& config, const Detection<Where>& found,
                          const Where& where) {
  const Image<float, Where>& image = found.match.pixels.empty() ? measured_image(pixels, found) : found.match;
  return matched_filter(image, make_kernel(config.convolve), found.background, found.levels,
                        noise_of_pixels(pixels, config, found), where);
}

/// Finds the threshold in sigma that gives the configured rate of false discoveries. `found.levels` must be the levels
/// of a threshold of 1 sigma.
template <class Where>
Value<double, Where> threshold_of_rate(const Pixels<Where>& pixels, const Config& config, const Detection<Where>& found,
                                       const Where& where) {
  if (found.match.pixels.empty())
    return false_discovery_threshold(found_image(pixels, found), found.levels, noise_of_found(pixels, config, found),
                                     config.detection, where);
  return false_discovery_threshold(found.match, levels_of_match(found.levels, where), NoiseMap<Where>{},
                                   config.detection, where);
}

/// Whether thresholds are multiples of the noise in the filtered image instead of the noise in the measured image.
/// False for the matched filter, whose noise is measured separately (filter_noise).
inline bool counts_in_own_noise(const Config& config) {
  return config.detection.threshold_unit == ThresholdUnit::detection_sigma && !is_matched(config);
}

/// Converts thresholds to levels in pixel values. `found` has the sky of the image. If thresholds are multiples of the
/// filtered image's own noise, the constructor measures that noise. With a mesh it is that of lower_noise(), and
/// `found.filtered` keeps its map. Without one, and of sums of squares, whose pixels below the sky tell little of those
/// above, it is the clipped sigma, in a large image of every n-th row (row_step),
/// and the level of the filtered image is measured with it, unless the level is given: it has been subtracted, and is
/// 0.
template <class Where>
class LevelsOf {
 public:
  LevelsOf(const Pixels<Where>& pixels, const Config& config, Detection<Where>& found, const Where& where)
      : config_(config),
        found_(found),
        where_(where),
        in_own_noise_(counts_in_own_noise(config) && has_detection_image(pixels, config)),
        scaled_(has_ratios(pixels, config)) {
    if (!in_own_noise_) return;
    if (!found.mesh.level.empty() && !has_level(config.given_sky) &&
        config.combine.method != CombineMethod::chi_square) {
      const std::optional<Kernel> kernel = detection_kernel(pixels, config);
      MeshSky<Where> noise = lower_noise(
          found_image(pixels, found), found.mesh, found.background, kernel ? white_noise_of(*kernel) : 1,
          pixels.negated, [&] { return noise_of(found_image(pixels, found)); }, config.background, where);
      own_ = std::move(noise.background);
      found.filtered = std::move(noise.mesh);
    } else {
      own_ = noise_of(found_image(pixels, found));
      if (has_level(config.given_sky)) give_sky(GivenSky{.level = true}, own_, where);
    }
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

/// Finds the pixels above the detection threshold and above detection.seed in the image in which sources are found.
/// Thresholds of the matched filter are multiples of the noise in the filter's result.
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

/// Finds the pixels of the measured image above the analysis threshold, if the configuration has one. If rows are
/// computed on demand, only runs that touch the foreground are kept: a low threshold could select a tenth of all
/// pixels, too many for the memory.
template <class Where, class Done>
void find_analysed(const LevelsOf<Where>& levels_at, const Pixels<Where>& pixels, const Config& config,
                   Detection<Where>& found, const Where& where, Done&& done) {
  if (config.detection.analysis_threshold == 0) return;
  found.analysed = threshold(measured_of_runs(pixels, found), levels_at(config.detection.analysis_threshold),
                             noise_of_pixels(pixels, config, found), found.bright, where, &found.runs);
  done("analysis");
}

/// Erodes or opens the foreground (morphological operations), if the configuration asks for it.
template <class Where, class Done>
void reshape_foreground(const MorphologyConfig& config, Detection<Where>& found, const Where& where, Done&& done) {
  if (config.operation == MorphologicalOperation::none) return;
  found.thresholded = std::exchange(found.runs, apply_morphology(found.runs, config, where));
  done("morphology");
}

}  // namespace srcextract
