#pragma once

namespace srcextract {

/// Second moments and the ellipse that has them, the angle in degrees.
struct Ellipse {
  double x2, y2, xy;
  double a, b, theta;
};

/// SExtractor's ellipse (its manual, "Shape parameters"; Bertin & Arnouts 1996) of moments about a point. A source
/// thinner than a pixel gets the variance of a pixel, 1/12, added to both axes, with SExtractor's criterion:
/// determinant below 0.00694 = 1/144.
Ellipse ellipse_about(double x2, double y2, double xy);

}  // namespace srcextract
