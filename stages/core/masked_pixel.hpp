#pragma once

#include <cmath>
#include <limits>

#include "stages/core/host_device.hpp"

namespace srcextract {

/// The only NaN that a masked pixel has.
inline constexpr float masked_pixel = std::numeric_limits<float>::quiet_NaN();

/// True if the value is neither infinite nor NaN.
SRCEXTRACT_HOST_DEVICE inline bool is_finite(float value) {
  return fabsf(value) <= std::numeric_limits<float>::max();
}

/// A computed pixel; masked if the value is NaN or infinite.
SRCEXTRACT_HOST_DEVICE inline float pixel_of(float value) {
  return is_finite(value) ? value : masked_pixel;
}

/// A computed pixel, rounded once to float; masked if that is NaN or infinite.
SRCEXTRACT_HOST_DEVICE inline float pixel_of(double value) {
  return pixel_of(static_cast<float>(value));
}

}  // namespace srcextract
