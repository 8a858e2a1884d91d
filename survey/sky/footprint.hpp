#pragma once

#include <array>
#include <string>
#include <vector>

#include "io/wcs/direction.hpp"
#include "stages/core/image.hpp"

namespace srcextract {

/// The plane that touches the unit sphere of the sky at a point.
class TangentPlane {
 public:
  TangentPlane() = default;
  explicit TangentPlane(const Direction& at);

  /// The gnomonic projection of a direction onto the plane. Requires that the direction is less than 90 degrees from
  /// the point.
  std::array<double, 2> project(const Direction& direction) const;

  /// The cosine of the angle between the direction and the point.
  double cosine(const Direction& direction) const;

 private:
  Direction at_{}, right_{}, up_{};
};

/// Angle between two directions, in degrees.
double angle_between(const Direction& a, const Direction& b);

/// The part of the sky that an image covers, as a polygon of points on the image's edge.
class Footprint {
 public:
  /// Throws Error{input}, without the name of the image, if the header has no celestial WCS that can be used, or if a
  /// part of the edge is off the sky.
  Footprint(const std::string& header, const Shape& shape);

  const Direction& middle() const { return middle_; }

  /// An angle in degrees; no part of the image is farther from middle().
  double radius() const { return radius_; }

  /// Whether the image covers this direction.
  bool contains(const Direction& direction) const;

 private:
  Direction middle_{};
  double radius_ = 0;
  TangentPlane plane_;
  std::vector<std::array<double, 2>> edge_;  ///< in the plane
};

/// Points of an image on the sky, in equal steps along both axes: `count` x `count`. Those off the sky are left out.
std::vector<Direction> grid_on_sky(const std::string& header, const Shape& shape, int count);

}  // namespace srcextract
