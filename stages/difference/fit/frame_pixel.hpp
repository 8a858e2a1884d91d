#pragma once

#include <cmath>
#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/difference/resample_pixel.hpp"

namespace srcextract {

/// Sky and noise of a frame in counts, and the limit from which pixels are too close to saturation to be used.
struct FrameLevel {
  float sky = 0;
  float variance = 0;            ///< variance of the noise of the sky
  float variance_per_count = 0;  ///< 1 / gain; 0: the gain is not known
  float limit = 0;    ///< pixels from this value on are taken as saturated; infinite if no saturation is known
  float pile_up = 0;  ///< shared_greatest() of the frame, if the saturation was unknown and this value was used; else 0
  /// Variance of the sky at every pixel, before multiplication by `map_scale`; in the memory of host or device. If
  /// null, all pixels have `variance`.
  const float* map = nullptr;
  float map_scale = 1;

  /// Whether a pixel is masked, or at least `limit`.
  SRCEXTRACT_HOST_DEVICE bool is_bad(float pixel) const { return !(pixel < limit); }
  /// Returns the variance of the sky at pixel i. If the map has no value above 0 there, the result is `variance`.
  SRCEXTRACT_HOST_DEVICE float sky_variance(std::int64_t i) const {
    if (map == nullptr) return variance;
    const float own = map[i] * map_scale;
    return own > 0 ? own : variance;
  }
  /// Returns the pixel's value minus the sky, or 0 if the pixel is bad.
  SRCEXTRACT_HOST_DEVICE float above(float pixel) const { return is_bad(pixel) ? 0 : pixel - sky; }
};

/// Returns the variance of a pixel: variance of the sky plus photon noise. The result is minus this variance if the
/// pixel is masked, and -infinity if the pixel is saturated. The photon noise is computed from the mean light of the
/// good pixels among the 3 x 3 around the pixel. From the pixel's own value, pixels that noise makes fainter would seem
/// less noisy than others. The sum runs over columns from left to right, and in each column from top to bottom.
SRCEXTRACT_HOST_DEVICE inline float variance_at(const ImageView& frame, const FrameLevel& level, std::int64_t x,
                                                std::int64_t y) {
  float light = 0;
  float good = 0;
  for (std::int64_t i = x - 1; i <= x + 1; ++i) {
    for (std::int64_t j = y - 1; j <= y + 1; ++j) {
      if (!frame.contains(i, j)) continue;
      const float pixel = frame.at(i, j);
      light += level.above(pixel);
      good += level.is_bad(pixel) ? 0.0F : 1.0F;
    }
  }
  const float mean = good > 0 && light > 0 ? light / good : 0;
  const float variance = level.sky_variance(y * frame.shape.width + x) + mean * level.variance_per_count;
  const float own = frame.at(x, y);
  return own >= level.limit ? -INFINITY : (own == own ? variance : -variance);
}

/// A bad (masked or saturated) pixel is replaced by a weighted mean of the pixels up to fill_reach away along both
/// axes. The weight of a pixel is the product of fill_weight() for both axes. fill_weight() returns exp(-d^2 / 2) for
/// the distance d in pixels.
inline constexpr int fill_reach = 3;
SRCEXTRACT_HOST_DEVICE inline float fill_weight(std::int64_t distance) {
  constexpr float weight[fill_reach + 1] = {1.0F, 0.60653066F, 0.13533528F, 0.011108997F};
  return weight[distance < 0 ? -distance : distance];
}

/// Returns pixel (x, y) minus the sky. If the pixel is bad, returns the weighted mean of the good pixels around, or 0
/// if there are none.
SRCEXTRACT_HOST_DEVICE inline float filled_at(const ImageView& frame, const FrameLevel& level, std::int64_t x,
                                              std::int64_t y) {
  if (!level.is_bad(frame.at(x, y))) return level.above(frame.at(x, y));
  float light = 0;
  float weights = 0;
  for (std::int64_t j = y - fill_reach; j <= y + fill_reach; ++j) {
    for (std::int64_t i = x - fill_reach; i <= x + fill_reach; ++i) {
      if (!frame.contains(i, j) || level.is_bad(frame.at(i, j))) continue;
      const float weight = fill_weight(i - x) * fill_weight(j - y);
      light += weight * level.above(frame.at(i, j));
      weights += weight;
    }
  }
  return weights > 0 ? light / weights : 0;
}

}  // namespace srcextract
