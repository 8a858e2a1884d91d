#pragma once

#include <cstdint>

#include "stages/catalogue/sources.hpp"
#include "stages/core/image.hpp"

namespace srcextract {

/// How much of the meshes of a sky sources cover.
struct MeshFilling {
  std::int64_t largest = 0, largest_pixels = 0;  ///< NUMBER of the largest source, and its pixels
  std::int64_t filled = 0;                       ///< meshes of which more than half is covered
  double most = 0;                               ///< share of the most covered one, at most 1
  std::int64_t x = 0, y = 0;                     ///< its middle, 1-based
};

/// Of meshes of these sides on an image, but for those of which the image's edge leaves less than a quarter. A source's
/// pixels are taken to be spread evenly over its box.
MeshFilling fill_meshes(const Sources& sources, const Shape& image, const Shape& mesh);

}  // namespace srcextract
