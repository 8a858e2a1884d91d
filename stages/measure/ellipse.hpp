#pragma once

#include <cmath>

#include "stages/measure/moments.hpp"

namespace srcextract {

/// Second moments in pixels^2, and the semi-major axis a and semi-minor axis b of the ellipse with these moments, in
/// pixels.
struct EllipseAxes {
  double x2, y2, xy;
  double a, b;
};

/// Computes the axes from the moments without a change; axes_about() first widens thin sources.
SRCEXTRACT_HOST_DEVICE inline EllipseAxes axes_of(const SecondMoments& m) {
  const double half_sum = (m.x2 + m.y2) / 2;
  const double half_difference = (m.x2 - m.y2) / 2;
  const double root = std::sqrt(half_difference * half_difference + m.xy * m.xy);
  const double a2 = half_sum + root, b2 = half_sum - root;
  return {m.x2, m.y2, m.xy, a2 > 0 ? std::sqrt(a2) : 0.0, b2 > 0 ? std::sqrt(b2) : 0.0};
}

/// Coefficients of the ellipse cxx dx^2 + cyy dy^2 + cxy dx dy = 1 that has given second moments.
struct EllipseForm {
  double cxx, cyy, cxy;
};
inline EllipseForm form_of(const SecondMoments& m) {
  const double determinant = m.x2 * m.y2 - m.xy * m.xy;
  return {m.y2 / determinant, m.x2 / determinant, -2 * m.xy / determinant};
}

/// Returns (a^2 - b^2) / (a^2 + b^2) for the ellipse with these moments.
inline double polarisation_of(const SecondMoments& m) {
  return std::sqrt((m.x2 - m.y2) * (m.x2 - m.y2) + 4 * m.xy * m.xy) / (m.x2 + m.y2);
}

/// An ellipse with the angle of its major axis, in degrees from x towards y.
struct Ellipse : EllipseAxes {
  double theta;
};

/// The ellipse of a source whose moments are undefined: all members are NaN.
inline constexpr Ellipse undefined_ellipse{
    {undefined_value, undefined_value, undefined_value, undefined_value, undefined_value}, undefined_value};

/// Computes the ellipse from the moments without a change; the overload for SourceSums first widens thin sources.
Ellipse ellipse_of(const SecondMoments& moments);

/// Returns ellipse_of(m), or undefined_ellipse if the moments are NaN.
inline Ellipse ellipse_or_none(const SecondMoments& moments) {
  return moments.x2 == moments.x2 ? ellipse_of(moments) : undefined_ellipse;
}

/// Returns the axes of SExtractor's ellipse (manual, "Shape parameters"; Bertin & Arnouts 1996) from second moments.
/// The moments of a thin source are first widened by widened() (stages/measure/moments.hpp).
SRCEXTRACT_HOST_DEVICE inline EllipseAxes axes_about(double x2, double y2, double xy) {
  return axes_of(widened({x2, y2, xy}));
}

/// Returns the ellipse from the moments of a source about `position`, widened if the source is thin; undefined_ellipse
/// if the flux is 0.
Ellipse ellipse_of(const SourceSums& s, const SourceOffset& position);

}  // namespace srcextract
