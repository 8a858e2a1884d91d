#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "io/wcs/celestial_wcs.hpp"
#include "io/wcs/wcs.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// Computes world coordinates of pixels, in degrees and in the order of the header's axes. `pixels` is x, y, x, y ...,
/// with 1 at the centre of the first pixel. World coordinates are NaN off the sky, as beyond the edge of an all-sky
/// map. Returns an empty string, or wcslib's reason if no pixel can be computed.
std::string world_of_pixels(wcsprm& wcs, const std::vector<double>& pixels, std::vector<double>& world);

/// Computes the pixel (x, y), from 1, at a longitude and latitude in the header's system. The pixel is NaN off the
/// projection, or where the inverse of the distortion does not converge. Returns an empty string, or wcslib's reason if
/// the WCS cannot be inverted at all.
std::string pixel_of_place(wcsprm& wcs, double longitude, double latitude, double (&pixel)[2]);

/// Return the sky position of two world coordinates: native_of() in the header's system, j2000_of() in J2000.
/// `frame` is the header's system. Longitudes are in [0, 360) degrees. The position is NaN if a
/// coordinate is NaN.
SkyPosition native_of(const wcsprm& wcs, const double* world);
SkyPosition j2000_of(const wcsprm& wcs, const SkySystem& frame, const double* world);

/// Divides `count` positions into batches and calls body(wcs, first, count) for each, from several threads. Each batch
/// has its own wcsprm, since threads cannot share one. Returns the first reason that is not empty, or an empty string.
std::string in_batches(const CelestialWcs& found, const std::string& header, std::int64_t count, const Cpu& where,
                       const std::function<std::string(wcsprm& wcs, std::size_t first, std::size_t count)>& body);

}  // namespace srcextract
