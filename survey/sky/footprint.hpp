#pragma once

#include <array>
#include <string>
#include <vector>

#include "io/wcs/direction.hpp"
#include "stages/core/image.hpp"

namespace srcextract {

/// The plane that touches the unit sphere of the sky at a given point.
class TangentPlane {
 public:
  TangentPlane() = default;
  explicit TangentPlane(const Direction& at);

  /// The gnomonic projection of a direction onto the plane. The direction must be less than 90 degrees away from the
  /// point.
  std::array<double, 2> project(const Direction& direction) const;

  /// The cosine of the angle between the direction and the point of contact.
  double cosine(const Direction& direction) const;

 private:
  Direction at_{}, right_{}, up_{};
};

/// Angle between two directions, in degrees.
double angle_between(const Direction& a, const Direction& b);

/// The part of the sky that an image covers, as a polygon through points on the image's edge.
class Footprint {
 public:
  /// Throws Error{input} if the header has no usable celestial WCS, if a part of the edge is off the sky, or if the
  /// image covers more than half of the sky. The message does not name the image.
  Footprint(const std::string& header, const Shape& shape);

  const Direction& middle() const { return middle_; }

  /// The largest distance of a point on the edge from middle(), in degrees.
  double radius() const { return radius_; }

  /// Whether the image covers this direction.
  bool contains(const Direction& direction) const;

 private:
  Direction middle_{};
  double radius_ = 0;
  TangentPlane plane_;
  std::vector<std::array<double, 2>> edge_;  ///< corners of the polygon, projected to the plane
};

/// Directions of `count` x `count` points of an image, in equal steps along both axes. Points off the sky are left out.
std::vector<Direction> grid_on_sky(const std::string& header, const Shape& shape, int count);

}  // namespace srcextract
