#pragma once

#include <array>

namespace srcextract {

/// A place on the sky in degrees, as in the catalogue; NaN off the sky.
struct SkyPosition {
  double alpha = 0, delta = 0;
};

/// Steps on the sky, in degrees along a great circle, for one pixel in x and in y.
struct SkySteps {
  std::array<double, 2> east = {}, north = {};
};

/// The sky at a place in an image; NaN off the sky.
struct LocalSky {
  std::array<double, 2> world = {};  ///< coordinates on the header's first two axes, longitudes in [0, 360)
  bool latitude_first = false;       ///< the first axis is the latitude
  SkyPosition native, j2000, b1950;  ///< position in the header's system, in J2000, and in B1950 (io/wcs/fk4.hpp)
  SkySteps native_steps, j2000_steps, b1950_steps;
};

}  // namespace srcextract
