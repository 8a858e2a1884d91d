#pragma once

#include "config/config.hpp"
#include "pipeline/chain/detection.hpp"
#include "stages/detect/false_discovery.hpp"
#include "stages/detect/filter_noise.hpp"
#include "stages/detect/matched_filter.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/sky/background.hpp"
#include "stages/weights/mask.hpp"
#include "stages/weights/noise_scale.hpp"

namespace srcextract {

/// Whether the variances of these pixels are known only up to a factor.
template <class Where>
bool has_ratios(const Pixels<Where>& pixels, const Config& config) {
  return !pixels.variance.pixels.empty() && is_rescaled(config.weights);
}

/// The factor for the roots of the variances in a map of weights.
template <class Where>
Value<double, Where> scale_of_noise(const Pixels<Where>& pixels, const Config& config, const Detection<Where>& found,
                                    const Where& where) {
  if (!found.mesh.level.empty())
    return noise_scale(pixels.image, pixels.variance, found.mesh, config.background, where);
  const auto estimate = [&](const Image<float, Where>& variance) {
    return noise_scale(found.background, estimate_background(variance, config.background, where), where);
  };
  return detects_beyond(config.weights) ? estimate(mask_like(pixels.image, pixels.variance, where))
                                        : estimate(pixels.variance);
}

/// Segments the image, by the noise of each pixel if that is known. `bright` may be of another image.
template <class Where>
Runs<Where> threshold(const Image<float, Where>& image, const Value<Levels, Where>& levels,
                      const NoiseMap<Where>& noise, const BrightQuads<Where>& bright, const Where& where) {
  if (noise.variance != nullptr) return find_runs(image, levels, *noise.variance, where);
  return noise.mesh != nullptr ? find_runs(image, levels, *noise.mesh, where) : find_runs(image, levels, bright, where);
}

/// Segments the image in which sources are found, or the result of the matched filter.
template <class Where>
Runs<Where> threshold_found(const Image<float, Where>& image, const Value<Levels, Where>& levels,
                            const Pixels<Where>& pixels, const Config& config, const Detection<Where>& found,
                            const Where& where) {
  if (found.match.pixels.empty())
    return threshold(image, levels, noise_of_found(pixels, config, found), found.bright, where);
  return find_runs(found.match, levels_of_match(levels, where), where);
}

/// Applies the matched filter to the measured image, or to the weighed image. Its noise follows the mesh, too.
template <class Where>
Image<float, Where> match(const Pixels<Where>& pixels, const Config& config, const Detection<Where>& found,
                          const Where& where) {
  const Image<float, Where>& image = found.match.pixels.empty() ? measured_image(pixels, found) : found.match;
  return matched_filter(image, make_kernel(config.convolve), found.background, found.levels,
                        noise_of_pixels(pixels, config, found), where);
}

/// The threshold for the rate of false discoveries. Requires that the levels of `found` are those for the threshold 1.
template <class Where>
Value<double, Where> threshold_of_rate(const Image<float, Where>& image, const Pixels<Where>& pixels,
                                       const Config& config, const Detection<Where>& found, const Where& where) {
  if (found.match.pixels.empty())
    return false_discovery_threshold(image, found.levels, noise_of_found(pixels, config, found), config.detection,
                                     where);
  return false_discovery_threshold(found.match, levels_of_match(found.levels, where), NoiseMap<Where>{},
                                   config.detection, where);
}

/// The configuration with another threshold, such as that of seeds.
inline Config with_threshold(Config config, double threshold) {
  config.detection.threshold = threshold;
  return config;
}

/// Converts thresholds to levels for an image whose sky is in `found`; `image` is the one in which sources are found.
template <class Where>
class LevelsOf {
 public:
  LevelsOf(const Image<float, Where>& image, const Pixels<Where>& pixels, const Config& config,
           const Detection<Where>& found, const Where& where)
      : config_(config),
        found_(found),
        where_(where),
        in_own_noise_(!found.image.pixels.empty() && config.detection.threshold_unit == ThresholdUnit::detection_sigma),
        scaled_(has_ratios(pixels, config)) {
    if (in_own_noise_) own_ = estimate_background(image, config.background, where);
  }

  Value<Levels, Where> operator()(double threshold) const {
    const Value<Background, Where>& detected = in_own_noise_ ? own_ : found_.background;
    Value<Levels, Where> levels =
        resolve_levels(found_.background, detected, with_threshold(config_, threshold), where_);
    if (scaled_) set_noise_scale(levels, found_.noise_scale, where_);
    return levels;
  }

 private:
  const Config& config_;
  const Detection<Where>& found_;
  const Where& where_;
  bool in_own_noise_, scaled_;
  Value<Background, Where> own_;
};

/// Finds the pixels above three thresholds. Thresholds of the matched filter are counted in its own noise.
/// - detection: in the image in which sources are found;
/// - seed: in the same image;
/// - analysis: in the measured image.
template <class Where, class Done>
void find_foreground(const Image<float, Where>& image, const Pixels<Where>& pixels, const Config& config,
                     Detection<Where>& found, const Where& where, Done&& done) {
  const LevelsOf<Where> levels_at(image, pixels, config, found, where);
  const bool by_rate = controls_false_discoveries(config.detection);
  const bool matched = config.convolve.filter == Filter::matched;
  found.levels = levels_at(by_rate ? 1 : config.detection.threshold);
  Value<double, Where> noise;
  if (matched) {
    found.match = match(pixels, config, found, where);
    noise = filter_noise(found.match, found.levels, where);
    raise_levels(found.levels, noise, where);
    done("match");
  }
  if (by_rate) {
    raise_levels(found.levels, threshold_of_rate(image, pixels, config, found, where), where);
    done("false discoveries");
  }
  found.runs = threshold_found(image, found.levels, pixels, config, found, where);
  done("threshold");
  if (config.detection.seed != 0) {
    Value<Levels, Where> of_seeds = levels_at(config.detection.seed);
    if (matched) raise_levels(of_seeds, noise, where);
    found.seeds = threshold_found(image, of_seeds, pixels, config, found, where);
    done("seed");
  }
  if (config.detection.analysis_threshold != 0) {
    found.analysed = threshold(measured_image(pixels, found), levels_at(config.detection.analysis_threshold),
                               noise_of_pixels(pixels, config, found), found.bright, where);
    done("analysis");
  }
}

}  // namespace srcextract
