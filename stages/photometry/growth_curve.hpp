#pragma once

#include <cmath>
#include <cstdint>

#include "stages/photometry/fixed_point.hpp"

namespace srcextract {

/// SExtractor's curve of growth: the light of a source in 64 circles about it, with radii in equal steps up to `reach`,
/// the larger of 6 A_IMAGE and a least radius. Pixels within 0.75 pixel of a circle are divided into 5 x 5. Light is in
/// whole numbers of a quantum, so that sums do not depend on the order.
struct GrowthCurve {
  static constexpr int circles = 64;

  const std::int64_t* rings;  ///< light in each ring between a circle and the next smaller one
  FixedPoint unit;            ///< unit of `rings`
  double reach;               ///< radius of the last circle
  bool cut;                   ///< the last circle reaches beyond the image

  /// Returns the radius of the circle that holds `light`, by linear interpolation between circles. The result is at
  /// most `reach`, and 0 if the first circle holds `light` but has none. If only the last circle or none holds `light`,
  /// the step before the last is extrapolated.
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

  /// The radius of the circle with half of `flux`, which sets the size of windows: at least half a pixel, at most
  /// `reach`.
  SRCEXTRACT_HOST_DEVICE double half_light(double flux) const {
    constexpr double least = 0.5;
    const double radius = std::fabs(radius_of(0.5 * flux)), most = reach > least ? reach : least;
    return radius < least ? least : radius < most ? radius : most;
  }
};

}  // namespace srcextract
