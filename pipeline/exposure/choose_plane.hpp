#pragma once

#include <cstdint>

#include "io/image/fits_image.hpp"

namespace srcextract {

/// Reads `count` pixels of a plane, starting at pixel `first`, as one row of float.
Image<float, Cpu> read_part(const PixelSource& plane, std::int64_t first, std::int64_t count);

/// Returns the number, from 1, of the first plane that is not blank. If the header names planes of Stokes I, only these
/// are considered. A plane counts as blank if all pixels in 256 rows spread over it are NaN or 0. If all planes are
/// blank, returns the first.
std::int64_t choose_plane(const FitsImage& image);

/// Returns `wanted`, or choose_plane() if `wanted` is 0.
inline std::int64_t plane_of(const FitsImage& image, std::int64_t wanted) {
  return wanted > 0 ? wanted : choose_plane(image);
}

}  // namespace srcextract
