#pragma once

#include <limits>

#include "config/settings/weights.hpp"
#include "stages/core/host_device.hpp"
#include "stages/core/masked_pixel.hpp"

namespace srcextract {

/// A variance of so much says that nothing is known, as maps made for SExtractor have it.
inline constexpr float no_variance = 1e30F;

/// The variance from which on pixels are bad on which sources are found all the same; infinity if there is none.
inline float least_bad_variance(const WeightsConfig& config) {
  if (!detects_beyond(config)) return std::numeric_limits<float>::infinity();
  const auto threshold = static_cast<float>(config.threshold);
  if (config.type == WeightType::weight) return 1.0F / threshold;
  return config.type == WeightType::rms ? threshold * threshold : threshold;
}

/// The same where variances are yet to be multiplied by the square of `scale`: SExtractor compares them afterwards,
/// with the threshold as it is (2.25).
SRCEXTRACT_HOST_DEVICE inline float least_bad_variance(float limit, double scale) {
  return static_cast<float>(static_cast<double>(limit) / (scale * scale));
}

/// From what a map holds for a pixel to its variance, for both back ends.
struct VarianceOfMap {
  WeightType type;
  double threshold;  ///< beyond which there is none; 0: none
  float least_bad;   ///< from which on the sky leaves pixels out

  explicit VarianceOfMap(const WeightsConfig& config)
      : type(config.type),
        threshold(detects_beyond(config) ? 0 : config.threshold),
        least_bad(least_bad_variance(config)) {}

  /// In float; masked where the map says nothing of use: what is not above 0, not finite, beyond the threshold, or a
  /// variance of 1e30 or more.
  SRCEXTRACT_HOST_DEVICE float operator()(float stored) const {
    const bool is_weight = type == WeightType::weight;
    const bool beyond = is_weight ? static_cast<double>(stored) <= threshold
                                  : threshold > 0 && static_cast<double>(stored) >= threshold;
    const float variance = is_weight ? 1.0F / stored : type == WeightType::rms ? stored * stored : stored;
    const bool good = stored > 0.0F && !beyond && variance < no_variance && variance > 0.0F;
    return good ? variance : masked_pixel;
  }
};

/// A pixel and its variance are masked together; a pixel that is bad and has a variance is masked alone. Returns
/// whether it is the map that masks the pixel.
SRCEXTRACT_HOST_DEVICE inline bool weigh(float stored, const VarianceOfMap& variance_of, float& pixel,
                                         float& variance) {
  const bool was_masked = pixel != pixel;
  const float found = variance_of(stored);
  variance = was_masked ? masked_pixel : found;
  const bool bad = !(found < variance_of.least_bad);
  pixel = bad ? masked_pixel : pixel;
  return !was_masked && bad;
}

/// Masks a pixel that a mask masks. Returns whether it is the mask that does.
SRCEXTRACT_HOST_DEVICE inline bool mask_with(float mask, float& pixel) {
  const bool masked = mask != mask && pixel == pixel;
  pixel = mask != mask ? masked_pixel : pixel;
  return masked;
}

/// Subtracts the level of the sky from a pixel. Returns whether it is the level that masks it.
SRCEXTRACT_HOST_DEVICE inline bool subtract_from(float level, float& pixel) {
  const bool masked = level != level && pixel == pixel;
  pixel = pixel_of(pixel - level);
  return masked;
}

/// A variance that is masked where its pixel is.
SRCEXTRACT_HOST_DEVICE inline float masked_with(float pixel, float variance) {
  return pixel != pixel ? masked_pixel : variance;
}

}  // namespace srcextract
