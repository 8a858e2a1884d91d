#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>

#include "io/wcs/wcs.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// Steps on the sky, in degrees along a great circle, for one pixel in x and in y.
struct SkySteps {
  std::array<double, 2> east = {}, north = {};
};

/// The sky at a place in an image; NaN off the sky.
struct LocalSky {
  std::array<double, 2> world = {};  ///< coordinates on the header's first two axes, longitudes in [0, 360)
  bool latitude_first = false;       ///< the first axis is the latitude
  SkyPosition native, j2000;         ///< position in the header's system, and in J2000
  SkySteps native_steps, j2000_steps;
};

/// The sky with J2000 values in place of those in the header's system.
LocalSky in_j2000(LocalSky sky);

/// Calls keep(i, sky) for every place (x[i], y[i]), on several threads; the centre of the first pixel is (1, 1). Steps
/// are measured between the middles of opposite sides of a pixel around the place, with all distortions. Returns an
/// empty string, or the reason why there is no sky, as add_sky_positions does.
std::string look_at_sky(const std::string& header, std::span<const double> x, std::span<const double> y,
                        const std::function<void(std::size_t, const LocalSky&)>& keep, const Cpu& where = {});

}  // namespace srcextract
