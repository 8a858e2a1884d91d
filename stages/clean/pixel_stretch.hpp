#pragma once

#include <cstdint>

namespace srcextract {

/// Pixels of a row that follow each other in the order in which SExtractor lists the pixels of a source.
struct PixelStretch {
  std::int32_t first;  ///< index in the image
  std::int32_t length;
};

}  // namespace srcextract
