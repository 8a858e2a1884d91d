#pragma once

#include <cstdint>
#include <limits>

#include "stages/combine/combine.hpp"
#include "stages/core/host_device.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/math/ordered_key.hpp"
#include "stages/settings/combine.hpp"

namespace srcextract {

/// Sky level and noise of a plane (an input image that is combined with others).
struct PlaneNoise {
  double sky;
  double sigma;  ///< standard deviation of the sky; 0 if not known, and the plane is then ignored
};

SRCEXTRACT_HOST_DEVICE inline PlaneNoise noise_of(const Background& background) {
  return {background.clipped.median, background.clipped.sigma};
}

/// The weight of a plane. The plane adds weight * (v - sky) to a pixel's sum, or weight * (v - sky)^2 for the method
/// chi_square.
struct PlaneWeight {
  double sky = 0;
  double weight = 0;
  double share = 0;  ///< part of PlaneWeights::shares that is missing where the plane is masked
};

/// The weights of all planes, for every method except the median. Weights are normalised for pixels that no plane
/// masks. If some planes mask a pixel, its sum is multiplied by (sum of all shares) / (sum of shares of the good
/// planes).
struct PlaneWeights {
  PlaneWeight planes[most_planes];
  double shares = 0;
  bool all_needed = false;  ///< true: a pixel is masked in the result if any plane masks it
};

/// Computes the weights for methods that do not depend on the noise of the planes.
inline PlaneWeights given_weights(const CombineConfig& config, int planes) {
  constexpr double luminosity[] = {0.21, 0.71, 0.07};
  PlaneWeights weights;
  for (int i = 0; i < planes; ++i) {
    const double weight = config.method == CombineMethod::weighted     ? config.weights[static_cast<std::size_t>(i)]
                          : config.method == CombineMethod::luminosity ? luminosity[i]
                                                                       : 1.0 / planes;
    weights.planes[i] = {0, weight, weight};
    weights.shares += weight;
    weights.all_needed |= weight < 0;
  }
  return weights;
}

/// Computes the weights for inverse_variance, or for chi_square if `squares` is true.
SRCEXTRACT_HOST_DEVICE inline void weigh_by_noise(const PlaneNoise* noise, int planes, bool squares,
                                                  PlaneWeights& weights) {
  double sum = 0;
  for (int i = 0; i < planes; ++i) {
    const double sigma = noise[i].sigma;
    const double weight = sigma > 0 ? 1 / (sigma * sigma) : 0;
    weights.planes[i] = {noise[i].sky, weight, weight > 0 ? 1.0 : 0.0};
    sum += weight;
  }
  weights.shares = 0;
  weights.all_needed = false;
  for (int i = 0; i < planes; ++i) {
    PlaneWeight& plane = weights.planes[i];
    if (!squares) plane.share = plane.weight /= sum;
    weights.shares += plane.share;
    // If all planes are ignored, the result must be masked, not 0.
    if (sum == 0) plane.sky = std::numeric_limits<double>::quiet_NaN();
  }
}

/// The value that a plane adds to the sum of a pixel; NaN if the plane masks the pixel.
template <bool squares>
SRCEXTRACT_HOST_DEVICE double contribution(float value, const PlaneWeight& plane) {
  const double above = static_cast<double>(value) - plane.sky;
  return plane.weight * (squares ? above * above : above);
}

/// Combines the good planes of a pixel whose sum over all planes is not a finite float. value_of(i) is the pixel's
/// value in plane i. Increments `infinite` if the result overflows a float, or is NaN because all planes are ignored.
template <bool squares, class ValueOf>
SRCEXTRACT_HOST_DEVICE float combine_good(const ValueOf& value_of, int planes, const PlaneWeights& weights,
                                          std::int64_t& infinite) {
  double sum = 0;
  double shares = 0;
  bool complete = true;
  for (int i = 0; i < planes; ++i) {
    const float value = value_of(i);
    if (value != value) {
      complete = false;
      continue;
    }
    sum += contribution<squares>(value, weights.planes[i]);
    shares += weights.planes[i].share;
  }
  if (!complete && (weights.all_needed || shares == 0)) return masked_pixel;
  const float result = static_cast<float>(complete ? sum : sum * (weights.shares / shares));
  if (is_finite(result)) return result;
  ++infinite;
  return masked_pixel;
}

/// The median is the middle one of an odd number of sorted signed_keys. If the number of planes is even, a masked key
/// is added to make the number odd. Masked keys are replaced by a key larger than all others and a key smaller than all
/// others in turn. The median of the other keys thus stays in the middle.
constexpr std::int32_t masked_key = 0x7fc00000;
constexpr std::int32_t largest_key = std::numeric_limits<std::int32_t>::max();

/// Replaces a masked key by `end`, and then changes `end` from the largest key to the smallest or back. `end` starts as
/// largest_key for each pixel.
SRCEXTRACT_HOST_DEVICE inline std::int32_t spread_if_masked(std::int32_t key, std::int32_t& end) {
  const bool masked = key == masked_key;
  const std::int32_t spread = masked ? end : key;
  end = masked ? ~end : end;
  return spread;
}

/// The median of a pixel. `middle` is the middle of its sorted keys, `before` the key before that, and `end` the last
/// value of `end` in spread_if_masked().
SRCEXTRACT_HOST_DEVICE inline float median_of(std::int32_t before, std::int32_t middle, std::int32_t end) {
  const bool odd = end == largest_key;  // the number of good pixels is odd
  const double lower = static_cast<double>(value_of_signed_key(odd ? middle : before));
  const auto mean = static_cast<float>(0.5 * (lower + static_cast<double>(value_of_signed_key(middle))));
  return middle == largest_key ? masked_pixel : mean;
}

}  // namespace srcextract
