#pragma once

#include <cmath>

#include "stages/core/host_device.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// A mesh's noise divided by the root of its variance in the map; 0 if the variance is not above 0.
SRCEXTRACT_HOST_DEVICE inline float noise_ratio(float rms, float variance) {
  return variance > 0.0F ? static_cast<float>(static_cast<double>(rms) / std::sqrt(static_cast<double>(variance)))
                         : 0.0F;
}

/// The noise of the whole image's sky divided by the root of the mean variance in the map; 1 if either is not above 0.
SRCEXTRACT_HOST_DEVICE inline double noise_ratio(const Background& sky, const Background& of_variance) {
  const double variance = of_variance.clipped.mean, sigma = sky.clipped.sigma;
  return variance > 0 && sigma > 0 ? sigma / std::sqrt(variance) : 1;
}

}  // namespace srcextract
