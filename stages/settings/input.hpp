#pragma once

#include <cstdint>

#include "stages/core/hdu_names.hpp"

namespace srcextract {

/// The pixels to use in a file.
struct InputConfig {
  HduNames hdu;
  /// Plane of a cube, 1-based, counting through all axes above the second; 0: the first one of Stokes I that is not
  /// blank.
  std::int64_t plane = 1;

  bool operator==(const InputConfig&) const = default;
};

}  // namespace srcextract
