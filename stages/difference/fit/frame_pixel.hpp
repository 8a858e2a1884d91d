#pragma once

#include <cmath>
#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/difference/resample_pixel.hpp"

namespace srcextract {

/// Sky and noise of a frame, in counts, and the value from which a pixel cannot be used: near saturation.
struct FrameLevel {
  float sky = 0;
  float variance = 0;            ///< of the noise of the sky
  float variance_per_count = 0;  ///< 1 / gain; 0: the gain is not known
  float limit = 0;               ///< infinite: no level of saturation is known
  float pile_up = 0;             ///< the value that took the place of an unknown saturation; 0: none
  /// The variance of the sky in every pixel, up to `map_scale`; in the memory of the back end. Null: `variance`.
  const float* map = nullptr;
  float map_scale = 1;

  /// True for masked pixels, too.
  SRCEXTRACT_HOST_DEVICE bool is_bad(float pixel) const { return !(pixel < limit); }
  /// The variance of the sky in pixel i. A bad pixel, of which the map knows nothing, has the usual one.
  SRCEXTRACT_HOST_DEVICE float sky_variance(std::int64_t i) const {
    if (map == nullptr) return variance;
    const float own = map[i] * map_scale;
    return own > 0 ? own : variance;
  }
  /// The pixel above the sky; 0 if it is bad.
  SRCEXTRACT_HOST_DEVICE float above(float pixel) const { return is_bad(pixel) ? 0 : pixel - sky; }
};

/// The variance of a pixel: variance of the sky plus photon noise. Photon noise follows from the mean light of the good
/// pixels among the 3 x 3 around it. A mean, since the pixel's own noise would make faint outliers less noisy than
/// bright ones. Negative if the pixel is bad. The sum is over columns from left to right, each from top to bottom.
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

/// How far around a bad pixel its replacement looks, and the weight exp(-d^2 / 2) of pixels at distance d along an
/// axis.
inline constexpr int fill_reach = 3;
SRCEXTRACT_HOST_DEVICE inline float fill_weight(std::int64_t distance) {
  constexpr float weight[fill_reach + 1] = {1.0F, 0.60653066F, 0.13533528F, 0.011108997F};
  return weight[distance < 0 ? -distance : distance];
}

/// A pixel above the sky. A bad one is the weighted mean of the good ones around it, or sky if there are none.
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
