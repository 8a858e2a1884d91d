#pragma once

#include "config/settings/weights.hpp"
#include "stages/core/host_device.hpp"
#include "stages/core/masked_pixel.hpp"

namespace srcextract {

/// A variance of so much says that nothing is known, as maps made for SExtractor have it.
inline constexpr float no_variance = 1e30F;

/// From what a map holds for a pixel to its variance, for both back ends.
struct VarianceOfMap {
  WeightType type;
  double threshold;  ///< 0: none

  explicit VarianceOfMap(const WeightsConfig& config) : type(config.type), threshold(config.threshold) {}

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

/// A pixel and its variance are masked together. Returns whether it is the map that masks the pixel.
SRCEXTRACT_HOST_DEVICE inline bool weigh(float stored, const VarianceOfMap& variance_of, float& pixel,
                                         float& variance) {
  const bool was_masked = pixel != pixel;
  const float found = variance_of(stored);
  variance = was_masked ? masked_pixel : found;
  pixel = found != found ? masked_pixel : pixel;
  return !was_masked && found != found;
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
