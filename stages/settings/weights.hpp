#pragma once

#include <cstdint>
#include <string>

#include "stages/core/hdu_names.hpp"

namespace srcextract {

enum class WeightType { none, background, rms, variance, weight };
enum class Interpolate { none, variance, all };
enum class BeyondThreshold { mask, detect };
enum class MapPhotons { automatic, included, excluded };

/// Settings of the noise of each pixel.
struct WeightsConfig {
  /// Source of the noise of each pixel. none: equal noise in the whole image. background: the noise estimated in each
  /// mesh. rms, variance, weight: a map of the noise, its square, or the inverse of its square.
  WeightType type = WeightType::background;
  std::string file;      ///< the map's file; empty: the image's file
  HduNames hdu;          ///< HDUs of the map, paired with the image's HDUs if there are several; `auto` without a file:
                         ///< there is no map
  double threshold = 0;  ///< pixels of at most this weight, or at least this rms or variance, are bad; 0: no threshold
  /// How pixels beyond `threshold` are treated. mask: masked everywhere. detect, as in SExtractor: excluded from the
  /// sky estimate and apertures, but used for detection and isophotal sums.
  BeyondThreshold beyond = BeyondThreshold::mask;
  bool rescale = true;  ///< scale a variance or weight map so that it agrees with the noise of the sky
  /// Whether the gain of a pixel is proportional to its weight, so that the photon noise is proportional to its
  /// variance (SExtractor's WEIGHT_GAIN).
  bool scale_gain = false;
  /// Whether the map's noise holds the photons of sources, as an error of each pixel does, or the sky's alone.
  /// automatic: decided by the map's values under bright sources.
  MapPhotons photons = MapPhotons::automatic;
  bool convolve = false;  ///< whether thresholds of a convolved image use convolved variances
  /// The values that bad pixels copy from good neighbours (SExtractor's INTERP_TYPE). none: nothing, so that bad pixels
  /// stay masked; variance: only the variance; all: variance and value.
  Interpolate interpolate = Interpolate::none;
  std::int64_t interpolate_columns = 16;  ///< maximum distance in pixels, along a row, of a good pixel that is copied
  std::int64_t interpolate_rows = 16;  ///< maximum number of bad pixels of a column, after a good one, that copy along
                                       ///< the column; used if the row gives no value

  bool operator==(const WeightsConfig&) const = default;
};

/// Whether the noise of pixels comes from a map.
inline bool has_map(const WeightsConfig& config) {
  return config.type != WeightType::none && config.type != WeightType::background;
}

/// Whether pixels beyond the map's threshold are still used for detection.
inline bool detects_beyond(const WeightsConfig& config) {
  return has_map(config) && config.threshold > 0 && config.beyond == BeyondThreshold::detect;
}

inline bool scales_gain(const WeightsConfig& config) {
  return config.scale_gain && config.type != WeightType::none;
}

inline bool interpolates(const WeightsConfig& config) {
  return has_map(config) && config.interpolate != Interpolate::none;
}

/// Whether pixels that are masked in the estimate of the sky keep their values, since later stages use them.
inline bool keeps_pixels(const WeightsConfig& config) {
  return (has_map(config) && config.interpolate == Interpolate::variance) || detects_beyond(config);
}

/// Whether the map is scaled to the noise of the sky.
inline bool is_rescaled(const WeightsConfig& config) {
  return config.rescale && (config.type == WeightType::variance || config.type == WeightType::weight);
}

}  // namespace srcextract
