#pragma once

#include <cmath>

#include "stages/core/host_device.hpp"

namespace srcextract {

/// Second moments and the axes of the ellipse that has them.
struct EllipseAxes {
  double x2, y2, xy;
  double a, b;
};

/// SExtractor's ellipse (its manual, "Shape parameters"; Bertin & Arnouts 1996) of moments about a point. A source
/// thinner than a pixel gets the variance of a pixel, 1/12, added to both axes, with SExtractor's criterion:
/// determinant below 0.00694 = 1/144.
SRCEXTRACT_HOST_DEVICE inline EllipseAxes axes_about(double x2, double y2, double xy) {
  if (x2 * y2 - xy * xy < 0.00694) {
    x2 += 1.0 / 12;
    y2 += 1.0 / 12;
  }
  const double half_sum = (x2 + y2) / 2;
  const double half_difference = (x2 - y2) / 2;
  const double root = std::sqrt(half_difference * half_difference + xy * xy);
  const double a2 = half_sum + root, b2 = half_sum - root;
  return {x2, y2, xy, a2 > 0 ? std::sqrt(a2) : 0.0, b2 > 0 ? std::sqrt(b2) : 0.0};
}

/// The same with its angle, in degrees.
struct Ellipse : EllipseAxes {
  double theta;
};

Ellipse ellipse_about(double x2, double y2, double xy);

}  // namespace srcextract
