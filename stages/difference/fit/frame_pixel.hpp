#pragma once

#include <cmath>
#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/difference/resample_pixel.hpp"

namespace srcextract {

/// Sky and noise of a frame in counts, and the limit from which pixels are too near to saturation to be used.
struct FrameLevel {
  float sky = 0;
  float variance = 0;            ///< of the noise of the sky
  float variance_per_count = 0;  ///< 1 / gain; 0: the gain is not known
  float limit = 0;               ///< infinite: no level of saturation is known
  float pile_up = 0;             ///< the shared greatest value that was taken for the saturation; 0: none
  /// Variance of the sky in every pixel, still to be multiplied by `map_scale`; in the memory of the back end. Null:
  /// `variance` holds for all.
  const float* map = nullptr;
  float map_scale = 1;

  /// Whether a pixel is masked, or at least `limit`.
  SRCEXTRACT_HOST_DEVICE bool is_bad(float pixel) const { return !(pixel < limit); }
  /// The variance of the sky in pixel i. A bad pixel, which the map does not cover, gets the usual variance.
  SRCEXTRACT_HOST_DEVICE float sky_variance(std::int64_t i) const {
    if (map == nullptr) return variance;
    const float own = map[i] * map_scale;
    return own > 0 ? own : variance;
  }
  /// The pixel above the sky; 0 if it is bad.
  SRCEXTRACT_HOST_DEVICE float above(float pixel) const { return is_bad(pixel) ? 0 : pixel - sky; }
};

/// The variance of a pixel: variance of the sky plus photon noise. It is negative if the pixel is masked, -infinity if
/// saturated. Photon noise follows from the mean light of the good pixels among the 3 x 3 around it. With the pixel's
/// own value alone, faint outliers would seem less noisy than bright ones. The mean sums columns from left to right,
/// each from top to bottom.
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

/// A bad pixel is replaced by a mean of pixels up to fill_reach away. A pixel at distance d along an axis has the
/// weight exp(-d^2 / 2).
inline constexpr int fill_reach = 3;
SRCEXTRACT_HOST_DEVICE inline float fill_weight(std::int64_t distance) {
  constexpr float weight[fill_reach + 1] = {1.0F, 0.60653066F, 0.13533528F, 0.011108997F};
  return weight[distance < 0 ? -distance : distance];
}

/// The pixel (x, y) above the sky. If it is bad, the weighted mean of the good pixels around it, or 0 if there are
/// none.
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
