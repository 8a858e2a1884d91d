#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>

#include "io/wcs/wcs.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// How far on the sky one goes in degrees, on a great circle, with one pixel along x and along y.
struct SkySteps {
  std::array<double, 2> east = {}, north = {};
};

/// The sky at a place of an image; NaN off the sky.
struct LocalSky {
  std::array<double, 2> world = {};  ///< the coordinates of the header's first two axes, longitudes from 0 up to 360
  bool latitude_first = false;       ///< the first of them is the latitude
  SkyPosition native, j2000;         ///< in the system of the header; in J2000
  SkySteps native_steps, j2000_steps;
};

/// The same with what is in the system of the header in J2000.
LocalSky in_j2000(LocalSky sky);

/// Calls keep(i, sky) for the sky at every place (x[i], y[i]); the centre of the first pixel is (1, 1). On several
/// threads. Steps are those between the middles of opposite sides of a pixel about the place, with all distortions.
/// Returns an empty string, or the reason why there is no sky, as add_sky_positions does.
std::string look_at_sky(const std::string& header, std::span<const double> x, std::span<const double> y,
                        const std::function<void(std::size_t, const LocalSky&)>& keep, const Cpu& where = {});

}  // namespace srcextract
