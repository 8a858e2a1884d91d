#pragma once

#include <cstdint>
#include <string>

#include "stages/core/hdu_names.hpp"

namespace srcextract {

enum class WeightType { none, background, rms, variance, weight };
enum class Interpolate { none, variance, all };
enum class BeyondThreshold { mask, detect };

/// How noisy each pixel is.
struct WeightsConfig {
  /// none: as noisy as the image all over; background: as the mesh tells; or as a map tells, which holds the noise, its
  /// square, or what that is inverse to.
  WeightType type = WeightType::background;
  std::string file;      ///< that holds the map; empty: that of the image
  HduNames hdu;          ///< of that file, paired with those of the image where there are several
  double threshold = 0;  ///< pixels are bad that weigh no more, or are as noisy; 0 = none
  /// What becomes of those: they are masked; or, as in SExtractor, the sky and apertures leave them out, while sources
  /// are found on them and isophotal sums count them.
  BeyondThreshold beyond = BeyondThreshold::mask;
  bool rescale = true;  ///< a map of variances or weights tells their ratios; the sky's noise tells how large they are
  bool convolve = false;  ///< thresholds of a convolved image are by variances that are convolved with it
  /// What pixels that are bad take over from their neighbours: nothing (they are masked), the variance, or the value
  /// as well. SExtractor's INTERP_TYPE.
  Interpolate interpolate = Interpolate::none;
  std::int64_t interpolate_columns = 16;  ///< most pixels along a row that take over from the good one before them
  std::int64_t interpolate_rows = 16;     ///< the same along a column, where the row does not give any

  bool operator==(const WeightsConfig&) const = default;
};

/// Whether a map tells it.
inline bool has_map(const WeightsConfig& config) {
  return config.type != WeightType::none && config.type != WeightType::background;
}

/// Whether sources are found on pixels beyond its threshold.
inline bool detects_beyond(const WeightsConfig& config) {
  return has_map(config) && config.threshold > 0 && config.beyond == BeyondThreshold::detect;
}

/// Whether pixels that it calls bad take something over from their neighbours.
inline bool interpolates(const WeightsConfig& config) {
  return has_map(config) && config.interpolate != Interpolate::none;
}

/// Whether pixels that it masks for the sky keep their value for what follows.
inline bool keeps_pixels(const WeightsConfig& config) {
  return (has_map(config) && config.interpolate == Interpolate::variance) || detects_beyond(config);
}

/// Whether that map is scaled to the noise of the sky.
inline bool is_rescaled(const WeightsConfig& config) {
  return config.rescale && (config.type == WeightType::variance || config.type == WeightType::weight);
}

}  // namespace srcextract
