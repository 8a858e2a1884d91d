#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "io/wcs/celestial_wcs.hpp"
#include "io/wcs/wcs.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// World coordinates of pixels (x, y, x, y ...; the first centre is 1), in degrees and in the order of the header's
/// axes. NaN off the sky, as beyond the edge of an all-sky map. Returns an empty string, or wcslib's reason if it
/// cannot evaluate the WCS at all.
std::string world_of_pixels(wcsprm& wcs, const std::vector<double>& pixels, std::vector<double>& world);

/// The pixel (x, y, from 1) at a longitude and latitude in the header's system. NaN off the projection, or where
/// inverting the distortion does not converge. Returns an empty string, or wcslib's reason if it cannot invert the WCS
/// at all.
std::string pixel_of_place(wcsprm& wcs, double longitude, double latitude, double (&pixel)[2]);

/// The sky position with these two world coordinates: native_of in the header's system, j2000_of in J2000. `galactic`:
/// the header's system is galactic. Longitudes are in [0, 360) degrees; NaN if a coordinate is NaN.
SkyPosition native_of(const wcsprm& wcs, const double* world);
SkyPosition j2000_of(const wcsprm& wcs, bool galactic, const double* world);

/// Calls body(wcs, first, count) for batches of `count` positions in all, on several threads. Each batch has a WCS of
/// its own, since threads cannot share one. Returns the first non-empty reason.
std::string in_batches(const CelestialWcs& found, const std::string& header, std::int64_t count, const Cpu& where,
                       const std::function<std::string(wcsprm& wcs, std::size_t first, std::size_t count)>& body);

}  // namespace srcextract
