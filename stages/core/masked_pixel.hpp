#pragma once

#include <limits>

#include "stages/core/host_device.hpp"

namespace srcextract {

/// The one NaN of a masked pixel.
inline constexpr float masked_pixel = std::numeric_limits<float>::quiet_NaN();

/// A computed pixel; masked if it is not a number, or infinite.
SRCEXTRACT_HOST_DEVICE inline float pixel_of(float value) {
  constexpr float largest = std::numeric_limits<float>::max();
  return value >= -largest && value <= largest ? value : masked_pixel;
}

/// The same, rounded once.
SRCEXTRACT_HOST_DEVICE inline float pixel_of(double value) {
  return pixel_of(static_cast<float>(value));
}

}  // namespace srcextract
