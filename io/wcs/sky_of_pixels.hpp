#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "io/wcs/celestial_wcs.hpp"
#include "io/wcs/wcs.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// The two coordinates of every pixel (x, y, x, y ...; the centre of the first is 1), in degrees and in the order of
/// the header's axes; NaN where the projection has no sky, as off the edge of an all-sky map. Returns an empty string,
/// or wcslib's reason if it cannot evaluate the description at all.
std::string world_of_pixels(wcsprm& wcs, const std::vector<double>& pixels, std::vector<double>& world);

/// The pixel (x, y, as above) at a longitude and a latitude in the system of the header; NaN where the projection does
/// not have them, or the inverse of a distortion does not converge. Returns an empty string, or wcslib's reason if it
/// cannot invert the description at all.
std::string pixel_of_place(wcsprm& wcs, double longitude, double latitude, double (&pixel)[2]);

/// The place that has these two coordinates, in the system of the header, or in J2000 if that is `galactic`: longitudes
/// from 0 up to 360 degrees; NaN where one is.
SkyPosition native_of(const wcsprm& wcs, const double* world);
SkyPosition j2000_of(const wcsprm& wcs, bool galactic, const double* world);

/// Calls body(wcs, first, count) for all of `count` places, some thousands at a time and on several threads, each with
/// a description of its own. Returns the first reason that a call returns.
std::string in_batches(const CelestialWcs& found, const std::string& header, std::int64_t count, const Cpu& where,
                       const std::function<std::string(wcsprm& wcs, std::size_t first, std::size_t count)>& body);

}  // namespace srcextract
