#pragma once

#include <cmath>
#include <numbers>

namespace srcextract {

/// The beam of a radio map, an elliptical Gaussian. Lengths are in pixels of the image.
struct PixelBeam {
  double major = 0, minor = 0;  ///< full widths at half maximum of the axes
  double angle = 0;             ///< angle of the major axis, in radians from the x axis towards the y axis, in [0, pi)
  /// Factor that converts pixel values to Jy/beam. 0: the unit of the pixels is unknown, and fluxes have no unit.
  double to_jansky = 1;

  /// Area of the beam in pixels: the integral over a Gaussian of this shape with a peak of 1.
  double area() const { return std::numbers::pi * major * minor / (4 * std::numbers::ln2); }
  /// Full width at half maximum of the circular beam with the same area.
  double side() const { return std::sqrt(major * minor); }

  bool operator==(const PixelBeam&) const = default;
};

}  // namespace srcextract
