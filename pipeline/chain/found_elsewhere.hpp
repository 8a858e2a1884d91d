#pragma once

#include "config/config.hpp"
#include "pipeline/chain/detection.hpp"
#include "stages/core/exposure.hpp"

namespace srcextract {

/// Dual-image mode: the image in which sources are found, to be measured in other images with the same pixel grid.
struct DetectionImage {
  Exposure exposure;
  Config config;
};

/// Dual-image mode: sources found in one image, to be measured in any number of other images of the same shape.
template <class Where>
struct FoundElsewhere {
  Pixels<Where> pixels;  ///< pixels of the image in which sources were found
  Detection<Where>
      found;     ///< results that the measurements read (Elsewhere::kept and Elsewhere::copied); all others are freed
  FoundSky sky;  ///< sky of the image in which sources were found, in host memory
};

}  // namespace srcextract
