#pragma once

#include <cmath>
#include <limits>

#include "stages/core/host_device.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/settings/settings.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// Whether thresholds are in units of the noise that a map gives, and the map is not rescaled. The noise of the image
/// as a whole then need not be measured.
inline bool is_noise_given(const Settings& config) {
  return has_map(config.weights) && !is_rescaled(config.weights) &&
         config.detection.threshold_unit == ThresholdUnit::sigma;
}

/// Whether each pixel's threshold is in units of its noise, which a weight map gives.
inline bool thresholds_follow_map(const Settings& config) {
  return has_map(config.weights) && counts_in_sigmas(config.detection);
}

/// Returns config.detection with `threshold` as threshold. If the unit is a surface brightness mu, converts the
/// thresholds to pixel values above the sky, pixel_scale^2 10^(-0.4 (mu - zero_point)). The result does not depend on
/// the machine's math library.
DetectionConfig in_pixel_values(double threshold, const Settings& config);

/// Computes the levels for `detection`, the result of in_pixel_values(). `background` is the background of the measured
/// image, and gives sky and noise. Thresholds in detection_sigma use the sky and noise of `detected` instead, the
/// background of the image in which sources are found. The detection level is infinite if all pixels are masked. If
/// thresholds are in units of a sigma and `noise_is_given` is false, the level is also infinite if the sigma of the
/// unit or of `background` is 0.
SRCEXTRACT_HOST_DEVICE inline Levels levels_of(const Background& background, const Background& detected,
                                               const DetectionConfig& detection, Baseline measured_from,
                                               bool noise_is_given) {
  const double sky = background.clipped.median;
  const bool in_sigmas = counts_in_sigmas(detection);
  const Statistics& noise =
      detection.threshold_unit == ThresholdUnit::detection_sigma ? detected.clipped : background.clipped;
  Levels levels;
  levels.background = measured_from == Baseline::background ? sky : 0.0;
  levels.sigma = background.clipped.sigma;
  const bool countable = noise_is_given || (noise.sigma != 0 && levels.sigma != 0);
  if (background.all.count == 0 || (in_sigmas && !countable)) {
    levels.detection = levels.in_noise = std::numeric_limits<double>::infinity();
  } else if (in_sigmas) {
    levels.zero_point = detection.reference == Baseline::background ? noise.median : 0.0;
    levels.detection = levels.zero_point + detection.threshold * noise.sigma;
    const bool in_own_sigmas = detection.threshold_unit == ThresholdUnit::sigma;
    const auto in_noise = [&](double of) { return in_own_sigmas ? of : of * noise.sigma / levels.sigma; };
    levels.in_noise = in_noise(detection.threshold);
    if (!in_own_sigmas) levels.filtered = noise.sigma;
    if (detection.analysis_threshold != 0) {
      levels.analysis = levels.zero_point + detection.analysis_threshold * noise.sigma;
      levels.analysis_in_noise = in_noise(detection.analysis_threshold);
    }
  } else {
    const bool above_sky = detection.threshold_unit == ThresholdUnit::mag_per_arcsec2;
    levels.zero_point = above_sky && detection.reference == Baseline::background ? sky : 0.0;
    levels.detection = levels.zero_point + detection.threshold;
    if (detection.analysis_threshold != 0) levels.analysis = levels.zero_point + detection.analysis_threshold;
  }
  return levels;
}

/// Returns the level of the analysis threshold minus the background level, if all pixels have the noise levels.sigma.
SRCEXTRACT_HOST_DEVICE inline double analysis_level(const Levels& levels) {
  const bool own = levels.analysis < std::numeric_limits<double>::infinity();
  return (own ? levels.analysis : levels.detection) - levels.background;
}

/// The level of the analysis threshold minus the background level, if pixels have different noise: at_none + of_noise *
/// rms. rms is the pixel's rms in a map, before multiplication by levels.noise_scale.
struct AnalysisLine {
  double at_none, of_noise;
};
SRCEXTRACT_HOST_DEVICE inline AnalysisLine analysis_line(const Levels& levels) {
  const bool own = levels.analysis < std::numeric_limits<double>::infinity();
  return {levels.zero_point - levels.background,
          (own ? levels.analysis_in_noise : levels.in_noise) * levels.noise_scale};
}

/// Returns the detection level of a pixel. `rms` is the pixel's noise before multiplication by levels.noise_scale.
SRCEXTRACT_HOST_DEVICE inline float level_above_noise(const Levels& levels, float rms) {
  return static_cast<float>(levels.zero_point + levels.in_noise * (levels.noise_scale * static_cast<double>(rms)));
}

/// Returns the detection level of a pixel with this variance. The level is NaN if the variance is masked (NaN), so that
/// no pixel value exceeds it.
SRCEXTRACT_HOST_DEVICE inline float level_of_variance(const Levels& levels, float variance) {
  return level_above_noise(levels, std::sqrt(variance));
}

}  // namespace srcextract
