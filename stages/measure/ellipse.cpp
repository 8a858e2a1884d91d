#include "stages/measure/ellipse.hpp"

#include <numbers>

#include "stages/math/exact_math.hpp"

namespace srcextract {

Ellipse ellipse_of(const SecondMoments& moments) {
  const EllipseAxes axes = axes_of(moments);
  constexpr double degrees = 180 / std::numbers::pi;
  return {axes, portable_atan2(2 * axes.xy, axes.x2 - axes.y2) / 2 * degrees};
}

Ellipse ellipse_of(const SourceSums& s, const SourceOffset& position) {
  if (s.v == 0) return undefined_ellipse;
  return ellipse_of(widened(moments_about(s, position)));
}

}  // namespace srcextract
