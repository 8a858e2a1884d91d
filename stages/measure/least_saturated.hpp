#pragma once

#include "stages/core/host_device.hpp"

namespace srcextract {

/// The least value of a pixel that counts as saturated at `level`. Subtracting the sky, and adding it again, rounds a
/// pixel twice at most: a pixel that equals the level, as clipped ones do, stays saturated.
SRCEXTRACT_HOST_DEVICE inline double least_saturated(double level) {
  constexpr double two_roundings = 1.0 / (1 << 23);
  return level - level * two_roundings;
}

}  // namespace srcextract
