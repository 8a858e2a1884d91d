#pragma once

#include "stages/measure/moments.hpp"

namespace srcextract {

/// Second moments and the ellipse that has them, the angle in degrees.
struct Ellipse {
  double x2, y2, xy;
  double a, b, theta;
};

/// SExtractor's ellipse (its manual, "Shape parameters"; Bertin & Arnouts 1996) of moments about a point, as
/// `widened` (stages/measure/moments.hpp) leaves them.
Ellipse ellipse_about(double x2, double y2, double xy);

/// The same of moments as they are.
Ellipse ellipse_of(const SecondMoments& moments);

}  // namespace srcextract
