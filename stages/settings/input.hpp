#pragma once

#include <cstdint>

#include "stages/core/hdu_names.hpp"

namespace srcextract {

/// The pixels to use in a file.
struct InputConfig {
  HduNames hdu;
  /// Plane of a cube, from 1, counted through all axes after the second. 0: the first plane of Stokes I that is not
  /// blank.
  std::int64_t plane = 1;

  bool operator==(const InputConfig&) const = default;
};

}  // namespace srcextract
