#pragma once

#include <cmath>

#include "stages/core/host_device.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// The noise of a mesh divided by the square root of the mesh's variance in the weight map; 0 if that variance is not
/// above 0.
SRCEXTRACT_HOST_DEVICE inline float noise_ratio(float rms, float variance) {
  return variance > 0.0F ? static_cast<float>(static_cast<double>(rms) / std::sqrt(static_cast<double>(variance)))
                         : 0.0F;
}

/// The noise of the sky of the whole image divided by the square root of the clipped mean of the weight map's
/// variances; 1 if either is not above 0.
SRCEXTRACT_HOST_DEVICE inline double noise_ratio(const Background& sky, const Background& of_variance) {
  const double variance = of_variance.clipped.mean, sigma = sky.clipped.sigma;
  return variance > 0 && sigma > 0 ? sigma / std::sqrt(variance) : 1;
}

}  // namespace srcextract
