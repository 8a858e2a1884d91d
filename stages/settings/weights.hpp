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
  /// none: equal noise all over the image; background: noise of the mesh; rms, variance, weight: from a map, which has
  /// the noise, its square, or the inverse of the square.
  WeightType type = WeightType::background;
  std::string file;      ///< the map's file; empty: the image's
  HduNames hdu;          ///< of that file, paired with the image's HDUs if there are several
  double threshold = 0;  ///< pixels with at most this weight, or at least this noise, are bad; 0 = none
  /// Treatment of such pixels: masked; or, as in SExtractor, excluded from the sky and apertures, but used for
  /// detection and isophotal sums.
  BeyondThreshold beyond = BeyondThreshold::mask;
  bool rescale = true;  ///< use only the ratios in a variance or weight map, and scale it to the sky's noise
  /// The photon noise of a pixel goes with its variance, as if the gain went with the weight (SExtractor's
  /// WEIGHT_GAIN).
  bool scale_gain = false;
  bool convolve = false;  ///< thresholds of a convolved image use variances convolved with it
  /// Values that bad pixels copy from their neighbours: nothing (they are masked), the variance, or also the value.
  /// SExtractor's INTERP_TYPE.
  Interpolate interpolate = Interpolate::none;
  std::int64_t interpolate_columns = 16;  ///< maximum length of a gap along a row
  std::int64_t interpolate_rows = 16;     ///< maximum length along a column, where the row gives no value

  bool operator==(const WeightsConfig&) const = default;
};

/// Whether the noise is from a map.
inline bool has_map(const WeightsConfig& config) {
  return config.type != WeightType::none && config.type != WeightType::background;
}

/// Whether pixels beyond the map's threshold are used for detection.
inline bool detects_beyond(const WeightsConfig& config) {
  return has_map(config) && config.threshold > 0 && config.beyond == BeyondThreshold::detect;
}

/// Whether the photon noise of a pixel goes with its variance.
inline bool scales_gain(const WeightsConfig& config) {
  return config.scale_gain && config.type != WeightType::none;
}

/// Whether bad pixels of the map copy values from their neighbours.
inline bool interpolates(const WeightsConfig& config) {
  return has_map(config) && config.interpolate != Interpolate::none;
}

/// Whether pixels that are masked for the sky keep their values for later stages.
inline bool keeps_pixels(const WeightsConfig& config) {
  return (has_map(config) && config.interpolate == Interpolate::variance) || detects_beyond(config);
}

/// Whether the map is scaled to the noise of the sky.
inline bool is_rescaled(const WeightsConfig& config) {
  return config.rescale && (config.type == WeightType::variance || config.type == WeightType::weight);
}

}  // namespace srcextract
