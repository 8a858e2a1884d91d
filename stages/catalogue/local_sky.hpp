#pragma once

#include <array>

namespace srcextract {

/// Longitude `alpha` and latitude `delta` on the sky in degrees; NaN if the pixel is not on the sky.
struct SkyPosition {
  double alpha = 0, delta = 0;
};

/// The displacement on the sky, in degrees towards east and north, for a step of one pixel. Element 0 belongs to a step
/// along x, element 1 to a step along y.
struct SkySteps {
  std::array<double, 2> east = {}, north = {};
};

/// The sky coordinates at a position in an image; NaN outside the sky projection of the WCS.
struct LocalSky {
  /// position along the first two axes of the header, in degrees; a longitude is in [0, 360)
  std::array<double, 2> world = {};
  bool latitude_first = false;  ///< true: the first axis of the header is the latitude
  SkyPosition native, j2000,
      b1950;  ///< position in the header's coordinate system, in J2000 and in B1950 (io/wcs/look_at_sky.cpp)
  SkySteps native_steps, j2000_steps, b1950_steps;
};

}  // namespace srcextract
