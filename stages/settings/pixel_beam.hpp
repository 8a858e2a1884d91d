#pragma once

#include <cmath>
#include <numbers>

namespace srcextract {

/// The beam of a radio map, an elliptical Gaussian, in pixels of the image.
struct PixelBeam {
  double major = 0, minor = 0;  ///< full widths at half maximum
  double angle = 0;             ///< of the major axis, in radians from the x axis towards y, within [0, pi)
  /// Factor from pixel values to Jy/beam; 0: their unit is not known, and fluxes have none.
  double to_jansky = 1;

  /// Pixels a beam: the integral of a Gaussian of this shape with a peak of 1.
  double area() const { return std::numbers::pi * major * minor / (4 * std::numbers::ln2); }
  /// Full width at half maximum of a circular beam of the same area.
  double side() const { return std::sqrt(major * minor); }

  bool operator==(const PixelBeam&) const = default;
};

}  // namespace srcextract
