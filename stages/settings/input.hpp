#pragma once

#include <cstdint>

#include "stages/core/hdu_names.hpp"

namespace srcextract {

/// The HDUs and the plane that are read from an image file.
struct InputConfig {
  HduNames hdu;
  /// Plane of a cube, counted from 1 through all axes after the second. 0: the first plane of Stokes I that has a valid
  /// pixel.
  std::int64_t plane = 1;

  bool operator==(const InputConfig&) const = default;
};

}  // namespace srcextract
