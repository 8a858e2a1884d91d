#pragma once

#include <cmath>
#include <limits>

#include "stages/core/host_device.hpp"

namespace srcextract {

/// The value of every masked pixel. Images contain no other NaN.
inline constexpr float masked_pixel = std::numeric_limits<float>::quiet_NaN();

SRCEXTRACT_HOST_DEVICE inline bool is_finite(float value) {
  return fabsf(value) <= std::numeric_limits<float>::max();
}

/// Returns a computed pixel value, or masked_pixel if the value is NaN or infinite.
SRCEXTRACT_HOST_DEVICE inline float pixel_of(float value) {
  return is_finite(value) ? value : masked_pixel;
}

/// Returns a computed pixel value rounded once to float, or masked_pixel if the result is NaN or infinite.
SRCEXTRACT_HOST_DEVICE inline float pixel_of(double value) {
  return pixel_of(static_cast<float>(value));
}

}  // namespace srcextract
