#pragma once

#include <cstdint>

namespace srcextract {

/// Pixels of a row that are consecutive in SExtractor's list of the pixels of a source.
struct PixelStretch {
  std::int32_t first;  ///< index of its first pixel in the image
  std::int32_t length;
};

}  // namespace srcextract
