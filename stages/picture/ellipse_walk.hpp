#pragma once

#include <numbers>

namespace srcextract {

struct CurvePoint {
  double x = 0;
  double y = 0;
};

/// Returns cosine and sine of an angle in degrees, from -90 to 90. The code uses only + - * / and constants, so that
/// results round the same with every C library. Taylor series, whose first omitted terms are below 1e-15, give cosine
/// and sine of half the angle; the angle is then doubled.
inline CurvePoint direction(double degrees) {
  const double half = degrees * (std::numbers::pi / 360);
  const double square = half * half;
  double cosine = 1;
  double sine = 1;
  for (int n = 16; n >= 2; n -= 2) {
    cosine = 1 - cosine * square / (n * (n - 1));
    sine = 1 - sine * square / (n * (n + 1));
  }
  sine *= half;
  return {1 - 2 * sine * sine, 2 * sine * cosine};
}

/// An ellipse to draw; lengths are in pixels of the picture.
struct Outline {
  CurvePoint centre;
  double a, b;
  CurvePoint axis;  ///< unit vector along the semi-axis a
};

/// Calls f(CurvePoint) for points of the ellipse, four at a time, one in each quadrant. Successive points of a quadrant
/// are less than a pixel apart.
template <class F>
void walk_ellipse(const Outline& ellipse, F&& f) {
  const CurvePoint& centre = ellipse.centre;
  const CurvePoint& axis = ellipse.axis;
  const auto visit_opposites = [&](double cosine, double sine) {
    const double along = ellipse.a * cosine;
    const double across = ellipse.b * sine;
    const CurvePoint offset{along * axis.x - across * axis.y, along * axis.y + across * axis.x};
    f(CurvePoint{centre.x + offset.x, centre.y + offset.y});
    f(CurvePoint{centre.x - offset.x, centre.y - offset.y});
  };
  // enough steps, since the arc of a quadrant is shorter than pi / 2 a
  const int steps = static_cast<int>(1.6 * ellipse.a) + 1;
  const CurvePoint step = direction(90.0 / steps);
  CurvePoint place{1, 0};  // current point of the unit circle
  for (int i = 0; i < steps; ++i) {
    visit_opposites(place.x, place.y);
    visit_opposites(-place.y, place.x);
    place = {place.x * step.x - place.y * step.y, place.x * step.y + place.y * step.x};
  }
}

}  // namespace srcextract
