#pragma once

#include <cmath>
#include <cstdint>

#include "stages/photometry/measured_source.hpp"

namespace srcextract {

/// SExtractor's curve of growth: the light of a source in circles of 1 to 64 equal steps about it, out to 6 A_IMAGE.
/// Pixels within 0.75 pixel of a circle are divided into 5 x 5. In whole numbers of a quantum, which add up to the same
/// in any order.
struct GrowthCurve {
  static constexpr int circles = 64;

  const std::int64_t* rings;  ///< light between a circle and the one within
  FixedPoint unit;            ///< of it
  double reach;               ///< radius of the last circle
  bool cut;                   ///< the image ends before the last circle does

  /// The radius of the circle that holds so much light, linear within a step; no more than `reach`, and 0 where the
  /// first circle has none. Where the curve does not get there it is continued, not from its last step, but from the
  /// one before.
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

  /// The radius of half the light as a window is made of it: within half a pixel and the last circle.
  SRCEXTRACT_HOST_DEVICE double half_light(double flux) const {
    constexpr double least = 0.5;
    const double radius = std::fabs(radius_of(0.5 * flux)), most = reach > least ? reach : least;
    return radius < least ? least : radius < most ? radius : most;
  }
};

/// A quantum for numbers whose magnitudes add up to `most`, so small that the rounding of none is felt.
SRCEXTRACT_HOST_DEVICE inline FixedPoint fixed_point_up_to(double most) {
  constexpr int bits = 61;
  if (!(most > 0)) return {1};
  int exponent = 0;
  std::frexp(most, &exponent);
  return {std::ldexp(1.0, exponent - bits)};
}

/// The curve, with its geometry in double, as SExtractor has it. `lanes` keep its rings until they gather others.
template <class Lanes>
SRCEXTRACT_HOST_DEVICE GrowthCurve measure_growth(const Lanes& lanes, const MeasuredSource& source,
                                                  const PhotometryImage& image) {
  constexpr int side = 5;
  constexpr double margin = 0.75, sub_pixel = 0.2, first = -0.4;
  const double cx = source.shape.x, cy = source.shape.y, reach = 6 * static_cast<double>(source.shape.a);
  const double limit = reach + 1.5, step = reach / GrowthCurve::circles, steps = GrowthCurve::circles / reach;
  const std::int32_t number = source.number;
  const ApertureBox box = box_of_circle(cx, cy, limit, image);
  const auto square_at = [&](std::int32_t x, std::int32_t y) { return (x - cx) * (x - cx) + (y - cy) * (y - cy); };

  const Sums<1> light = lanes.template sum<1>(box, [&](std::int32_t x, std::int32_t y) -> Sums<1> {
    if (!(square_at(x, y) <= limit * limit)) return {};
    return {{std::fabs(image.sample(x, y, number, cx, cy).value)}};
  });
  const FixedPoint unit = fixed_point_up_to(light.of[0]);

  const std::int64_t* rings =
      lanes.bins(GrowthCurve::circles, box, [&](std::int32_t x, std::int32_t y, const auto& add) {
        const double square = square_at(x, y);
        if (!(square <= limit * limit)) return;
        const double value = image.sample(x, y, number, cx, cy).value;
        const auto add_at = [&](double at, std::int64_t whole) {
          const auto ring = static_cast<int>((at > 0 ? std::sqrt(at) : 0.0) * steps);
          if (ring < GrowthCurve::circles) add(ring, whole);
        };
        const double distance = square > 0 ? std::sqrt(square) : 0.0;
        const double beyond = distance - step * std::floor(distance * steps);
        if (beyond >= margin && beyond <= step - margin) {
          add_at(square, unit.of(value));
          return;
        }
        const std::int64_t part = unit.of(value / (side * side));
        double v = y - cy + first;
        for (int j = 0; j < side; ++j, v += sub_pixel) {
          double u = x - cx + first;
          for (int i = 0; i < side; ++i, u += sub_pixel) add_at(u * u + v * v, part);
        }
      });
  return {rings, unit, reach, box.cut};
}

}  // namespace srcextract
