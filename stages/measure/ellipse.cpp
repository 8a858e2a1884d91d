#include "stages/measure/ellipse.hpp"

#include "stages/math/exact_math.hpp"

namespace srcextract {

Ellipse ellipse_about(double x2, double y2, double xy) {
  const EllipseAxes axes = axes_about(x2, y2, xy);
  constexpr double degrees = 180 / 3.14159265358979323846;
  return {axes, portable_atan2(2 * axes.xy, axes.x2 - axes.y2) / 2 * degrees};
}

}  // namespace srcextract
