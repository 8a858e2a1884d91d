#pragma once

#include <cstdint>
#include <string>

#include "stages/core/hdu_names.hpp"

namespace srcextract {

enum class WeightType { none, background, rms, variance, weight };
enum class Interpolate { none, variance, all };
enum class BeyondThreshold { mask, detect };

/// The noise of each pixel.
struct WeightsConfig {
  /// Where the noise of each pixel comes from. none: equal noise all over the image; background: the noise of the mesh;
  /// rms, variance, weight: a map with the noise, its square, or the inverse of its square.
  WeightType type = WeightType::background;
  std::string file;      ///< the map's file; empty: the image's
  HduNames hdu;          ///< HDUs of the map, paired with the image's HDUs if there are several
  double threshold = 0;  ///< pixels with at most this weight, or at least this noise, are bad; 0 = none is
  /// How bad pixels beyond `threshold` are treated: masked; or, as in SExtractor, excluded from the sky and apertures,
  /// but used for detection and isophotal sums.
  BeyondThreshold beyond = BeyondThreshold::mask;
  bool rescale = true;  ///< use only the ratios in a variance or weight map, scaled to the noise of the sky
  /// The photon noise of a pixel goes with its variance, as if the gain went with the weight (SExtractor's
  /// WEIGHT_GAIN).
  bool scale_gain = false;
  bool convolve = false;  ///< for thresholds of a convolved image, convolve the variances too
  /// What bad pixels copy from their neighbours (SExtractor's INTERP_TYPE). none: nothing, they are masked; variance:
  /// only the variance; all: variance and value.
  Interpolate interpolate = Interpolate::none;
  std::int64_t interpolate_columns = 16;  ///< longest gap along a row that is interpolated, in pixels
  std::int64_t interpolate_rows = 16;     ///< longest gap along a column, used where the row gives no value

  bool operator==(const WeightsConfig&) const = default;
};

/// Whether the noise is from a map.
inline bool has_map(const WeightsConfig& config) {
  return config.type != WeightType::none && config.type != WeightType::background;
}

/// Whether pixels beyond the map's threshold are still used for detection.
inline bool detects_beyond(const WeightsConfig& config) {
  return has_map(config) && config.threshold > 0 && config.beyond == BeyondThreshold::detect;
}

/// Whether the photon noise of a pixel goes with its variance.
inline bool scales_gain(const WeightsConfig& config) {
  return config.scale_gain && config.type != WeightType::none;
}

/// Whether bad pixels of the map copy the variance of their neighbours, and perhaps their value too.
inline bool interpolates(const WeightsConfig& config) {
  return has_map(config) && config.interpolate != Interpolate::none;
}

/// Whether pixels that are masked for the estimate of the sky keep their values for later stages.
inline bool keeps_pixels(const WeightsConfig& config) {
  return (has_map(config) && config.interpolate == Interpolate::variance) || detects_beyond(config);
}

/// Whether only ratios in the map are used, scaled to the noise of the sky.
inline bool is_rescaled(const WeightsConfig& config) {
  return config.rescale && (config.type == WeightType::variance || config.type == WeightType::weight);
}

}  // namespace srcextract
