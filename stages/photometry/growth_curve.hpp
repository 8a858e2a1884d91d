#pragma once

#include <cmath>
#include <cstdint>

#include "stages/photometry/fixed_point.hpp"

namespace srcextract {

/// SExtractor's curve of growth: the light of a source in 64 concentric circles. The radii increase in equal steps up
/// to `reach`, which is 6 A_IMAGE or a given least radius, whichever is larger. Pixels within 0.75 pixel of a circle
/// are divided into 5 x 5 sub-pixels. Light is stored in integer multiples of a quantum, so that sums do not depend on
/// the order.
struct GrowthCurve {
  static constexpr int circles = 64;

  const std::int64_t* rings;  ///< light between each circle and the next smaller circle, in units of `unit`
  FixedPoint unit;            ///< quantum of `rings`
  double reach;               ///< radius of the last circle in pixels
  bool cut;                   ///< true if a part of the last circle is outside the image

  /// Returns the radius in pixels of the circle that contains `light`, by linear interpolation between circles. The
  /// result is at most `reach`. If the last circle is the first that contains `light`, or no circle does, the step
  /// before the last is extrapolated, and the length of one step is added. If the first circle contains `light` but its
  /// own light is 0, the result is 0.
  SRCEXTRACT_HOST_DEVICE double radius_of(double light) const {
    const double step = reach / circles;
    std::int64_t inside = rings[0], before = 0, before_that = 0;
    int i = 0;
    for (; i < circles - 1 && unit.value(inside) < light; ++i) {
      before_that = before;
      before = inside;
      inside += rings[i + 1];
    }
    double radius = 0;
    if (i == 0) {
      if (inside != 0) radius = step * light / unit.value(inside);
    } else {
      const bool beyond = i == circles - 1;
      const std::int64_t from = beyond ? before_that : before, to = beyond ? before : inside;
      if (to != from) radius = step * (i + (light - unit.value(from)) / unit.value(to - from));
    }
    return radius < reach ? radius : reach;
  }

  /// Returns the radius of the circle that contains half of `flux`, limited to the range 0.5 pixel to `reach`. This
  /// radius sets the size of Gaussian windows (WindowFamily).
  SRCEXTRACT_HOST_DEVICE double half_light(double flux) const {
    constexpr double least = 0.5;
    const double radius = std::fabs(radius_of(0.5 * flux)), most = reach > least ? reach : least;
    return radius < least ? least : radius < most ? radius : most;
  }
};

}  // namespace srcextract
