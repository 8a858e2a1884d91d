#pragma once

#include <cmath>
#include <limits>

#include "stages/core/host_device.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/settings/weights.hpp"

namespace srcextract {

/// A variance of at least this means that the noise is unknown, a convention of maps for SExtractor.
inline constexpr float no_variance = 1e30F;

/// The smallest variance of pixels that the sky estimate leaves out although sources are still found on them
/// (detects_beyond). Infinity if there are no such pixels.
inline float least_bad_variance(const WeightsConfig& config) {
  if (!detects_beyond(config)) return std::numeric_limits<float>::infinity();
  const auto threshold = static_cast<float>(config.threshold);
  if (config.type == WeightType::weight) return 1.0F / threshold;
  return config.type == WeightType::rms ? threshold * threshold : threshold;
}

/// Converts `limit`, a result of least_bad_variance(config), to variances that are not yet multiplied by the square of
/// `scale`. SExtractor compares scaled variances with the unscaled threshold (version 2.25).
SRCEXTRACT_HOST_DEVICE inline float least_bad_variance(float limit, double scale) {
  return static_cast<float>(static_cast<double>(limit) / (scale * scale));
}

/// Converts the value of a weight map to a variance, on CPU and GPU. Conditions are integers, since GCC 12 does not
/// vectorise a loop with bool.
struct VarianceOfMap {
  WeightType type;
  float limit;      ///< map values beyond this give no variance: weights of at most this, noise or variances of at
                    ///< least this
  float least_bad;  ///< smallest variance of pixels that the sky estimate leaves out

  explicit VarianceOfMap(const WeightsConfig& config)
      : type(config.type),
        limit(limit_of(type, detects_beyond(config) ? 0 : config.threshold)),
        least_bad(least_bad_variance(config)) {}

  /// Converts a stored value to a variance in float. The variance is masked if the stored value is not above 0, not
  /// finite or beyond `limit`, or if the variance is 0 in float, or 1e30 or more.
  SRCEXTRACT_HOST_DEVICE float operator()(float stored) const {
    const bool is_weight = type == WeightType::weight;
    const float variance = is_weight ? 1.0F / stored : type == WeightType::rms ? stored * stored : stored;
    const int within = is_weight ? stored > limit : stored < limit;
    const int good = (stored > 0.0F) & within & (variance < no_variance) & (variance > 0.0F);
    return good ? variance : masked_pixel;
  }

 private:
  /// Rounds config.threshold to a float with which float values compare as with the double. For weights: the largest
  /// float that is not above the threshold. For rms and variance: the smallest float that is not below the threshold,
  /// or infinity if the threshold is 0, which means no threshold.
  static float limit_of(WeightType type, double threshold) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const auto nearest = static_cast<float>(threshold);
    if (type == WeightType::weight)
      return static_cast<double>(nearest) > threshold ? std::nextafter(nearest, -infinity) : nearest;
    if (threshold <= 0) return infinity;
    return static_cast<double>(nearest) < threshold ? std::nextafter(nearest, infinity) : nearest;
  }
};

/// Sets the variance of a pixel from the map's value `stored`. The pixel is masked if the map gives no variance, or a
/// variance of at least `least_bad`. The variance is masked if the map gives none, or if the pixel was masked before.
/// Returns 1 if this call masks the pixel, else 0.
SRCEXTRACT_HOST_DEVICE inline int weigh(float stored, const VarianceOfMap& variance_of, float& pixel, float& variance) {
  const float before = pixel, found = variance_of(stored);
  const int was_masked = before != before, bad = !(found < variance_of.least_bad);
  variance = was_masked ? masked_pixel : found;
  pixel = bad ? masked_pixel : before;
  return bad & ~was_masked;
}

/// Masks the pixel if `mask` is masked. Returns whether this call masks the pixel.
SRCEXTRACT_HOST_DEVICE inline bool mask_with(float mask, float& pixel) {
  const bool masked = mask != mask && pixel == pixel;
  pixel = mask != mask ? masked_pixel : pixel;
  return masked;
}

/// Subtracts the sky level from a pixel. Returns whether the pixel becomes masked because the level is masked.
SRCEXTRACT_HOST_DEVICE inline bool subtract_from(float level, float& pixel) {
  const bool masked = level != level && pixel == pixel;
  pixel = pixel_of(pixel - level);
  return masked;
}

/// The variance, or the masked value if the pixel is masked.
SRCEXTRACT_HOST_DEVICE inline float masked_with(float pixel, float variance) {
  return pixel != pixel ? masked_pixel : variance;
}

}  // namespace srcextract
