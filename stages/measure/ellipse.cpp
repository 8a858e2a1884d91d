#include "stages/measure/ellipse.hpp"

#include <algorithm>
#include <cmath>

#include "stages/math/exact_math.hpp"

namespace srcextract {

Ellipse ellipse_about(double x2, double y2, double xy) {
  return ellipse_of(widened({x2, y2, xy}));
}

Ellipse ellipse_of(const SecondMoments& moments) {
  Ellipse e{moments.x2, moments.y2, moments.xy, 0, 0, 0};
  const double half_sum = (e.x2 + e.y2) / 2;
  const double half_difference = (e.x2 - e.y2) / 2;
  const double root = std::sqrt(half_difference * half_difference + e.xy * e.xy);
  e.a = std::sqrt(std::max(0.0, half_sum + root));
  e.b = std::sqrt(std::max(0.0, half_sum - root));
  constexpr double degrees = 180 / 3.14159265358979323846;
  e.theta = portable_atan2(2 * e.xy, e.x2 - e.y2) / 2 * degrees;
  return e;
}

}  // namespace srcextract
