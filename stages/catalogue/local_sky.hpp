#pragma once

#include <array>

namespace srcextract {

/// A position on the sky in degrees, as in the catalogue; NaN if there is none.
struct SkyPosition {
  double alpha = 0, delta = 0;
};

/// How far a step of one pixel goes to the east and to the north, in degrees along a great circle. Element 0 is for a
/// step in x, element 1 for a step in y.
struct SkySteps {
  std::array<double, 2> east = {}, north = {};
};

/// The sky at a position in an image; NaN outside of the sky's projection.
struct LocalSky {
  std::array<double, 2> world = {};  ///< position on the header's first two axes, in degrees, longitudes in [0, 360)
  bool latitude_first = false;       ///< the first axis is the latitude
  SkyPosition native, j2000,
      b1950;  ///< position in the header's coordinate system, in J2000, in B1950 (io/wcs/fk4.hpp)
  SkySteps native_steps, j2000_steps, b1950_steps;
};

}  // namespace srcextract
