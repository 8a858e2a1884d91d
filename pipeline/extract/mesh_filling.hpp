#pragma once

#include <cstdint>

#include "stages/catalogue/sources.hpp"
#include "stages/core/image.hpp"

namespace srcextract {

/// How much of the background meshes is covered by sources.
struct MeshFilling {
  std::int64_t largest = 0, largest_pixels = 0;  ///< NUMBER of the source with most pixels, and that number of pixels
  std::int64_t filled = 0;                       ///< number of meshes of which more than half is covered
  double most = 0;                               ///< covered fraction of the mesh that is covered most, from 0 to 1
  std::int64_t x = 0, y = 0;                     ///< centre pixel of that mesh, from 1
};

/// Computes the coverage for an image divided into meshes of shape `mesh`. Meshes at the edge with less than a quarter
/// of a full mesh's pixels are left out. The pixels of a source are assumed to be spread evenly over its bounding box.
MeshFilling fill_meshes(const Sources& sources, const Shape& image, const Shape& mesh);

}  // namespace srcextract
