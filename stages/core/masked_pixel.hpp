#pragma once

#include <cmath>
#include <limits>

#include "stages/core/host_device.hpp"

namespace srcextract {

/// The one NaN of a masked pixel.
inline constexpr float masked_pixel = std::numeric_limits<float>::quiet_NaN();

/// Whether a value is neither infinite nor none at all.
SRCEXTRACT_HOST_DEVICE inline bool is_finite(float value) {
  return fabsf(value) <= std::numeric_limits<float>::max();
}

/// A computed pixel; masked if it is not a number, or infinite.
SRCEXTRACT_HOST_DEVICE inline float pixel_of(float value) {
  return is_finite(value) ? value : masked_pixel;
}

/// The same, rounded once.
SRCEXTRACT_HOST_DEVICE inline float pixel_of(double value) {
  return pixel_of(static_cast<float>(value));
}

}  // namespace srcextract
