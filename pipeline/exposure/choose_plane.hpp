#pragma once

#include <cstdint>

#include "io/image/fits_image.hpp"

namespace srcextract {

/// The first plane, from 1, that is not blank, among those of Stokes I if the header tells polarisations. A plane is
/// blank if all pixels of 256 rows spread over it are NaN or 0. The first one, if all are blank.
std::int64_t choose_plane(const FitsImage& image);

/// `wanted`, or the plane that choose_plane finds if `wanted` is 0.
inline std::int64_t plane_of(const FitsImage& image, std::int64_t wanted) {
  return wanted > 0 ? wanted : choose_plane(image);
}

}  // namespace srcextract
