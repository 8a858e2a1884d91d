#pragma once

#include <cstdint>

#include "stages/catalogue/sources.hpp"
#include "stages/core/image.hpp"

namespace srcextract {

/// How much of the background meshes sources cover.
struct MeshFilling {
  std::int64_t largest = 0, largest_pixels = 0;  ///< NUMBER of the largest source, and its pixels
  std::int64_t filled = 0;                       ///< meshes that are more than half covered
  double most = 0;                               ///< covered share of the most covered mesh, at most 1
  std::int64_t x = 0, y = 0;                     ///< centre of that mesh, 1-based
};

/// Computes the filling for an image divided into meshes of shape `mesh`. Edge meshes with less than a quarter of a
/// mesh's pixels are left out. A source's pixels are assumed to be spread evenly over its bounding box.
MeshFilling fill_meshes(const Sources& sources, const Shape& image, const Shape& mesh);

}  // namespace srcextract
