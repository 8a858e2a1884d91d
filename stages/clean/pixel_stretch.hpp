#pragma once

#include <cstdint>

namespace srcextract {

/// Consecutive pixels of a row that are also consecutive in SExtractor's list of the pixels of a source.
struct PixelStretch {
  std::int32_t first;  ///< index of the first pixel in the image
  std::int32_t length;
};

}  // namespace srcextract
