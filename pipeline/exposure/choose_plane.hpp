#pragma once

#include <cstdint>

#include "io/image/fits_image.hpp"

namespace srcextract {

/// Returns the number, from 1, of the first plane that is not blank; only Stokes I counts if the header names it. A
/// plane is blank if all pixels of 256 rows spread over it are NaN or 0. Returns the first of these planes if all are
/// blank.
std::int64_t choose_plane(const FitsImage& image);

/// Returns `wanted`, or what choose_plane finds if `wanted` is 0.
inline std::int64_t plane_of(const FitsImage& image, std::int64_t wanted) {
  return wanted > 0 ? wanted : choose_plane(image);
}

}  // namespace srcextract
