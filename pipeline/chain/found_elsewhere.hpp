#pragma once

#include "config/config.hpp"
#include "pipeline/chain/detection.hpp"
#include "stages/core/exposure.hpp"

namespace srcextract {

/// The image in which sources are found, if others with the same pixels are measured.
struct DetectionImage {
  Exposure exposure;
  Config config;
};

/// Sources found in one image, to be measured in any number of others of its shape.
template <class Where>
struct FoundElsewhere {
  Pixels<Where> pixels;    ///< pixels of the image in which sources were found
  Detection<Where> found;  ///< results that later measurements read, with `levels` and `sums`; the rest is dropped
  FoundSky sky;            ///< sky of the image in which sources were found
};

}  // namespace srcextract
