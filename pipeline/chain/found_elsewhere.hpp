#pragma once

#include "config/config.hpp"
#include "pipeline/chain/detection.hpp"
#include "stages/core/exposure.hpp"

namespace srcextract {

/// The image in which sources are found, where others of the same pixels are measured.
struct DetectionImage {
  Exposure exposure;
  Config config;
};

/// Sources as they were found in one image, to be measured in any number of others of its shape.
template <class Where>
struct FoundElsewhere {
  Pixels<Where> pixels;    ///< of the image in which they were found
  Detection<Where> found;  ///< of which what measuring them looks at is left, with `levels` and `sums`
  FoundSky sky;            ///< of that image
};

}  // namespace srcextract
