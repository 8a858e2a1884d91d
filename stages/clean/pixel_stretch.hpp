#pragma once

#include <cstdint>

namespace srcextract {

/// Pixels of a row that follow one another in SExtractor's order.
struct PixelStretch {
  std::int32_t first;  ///< in the image
  std::int32_t length;
};

}  // namespace srcextract
