#include "survey/sky/footprint.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "io/wcs/wcs.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// Number of points on each side of an image's outline. Distortion bends a side between two of these points too little
/// to matter.
constexpr int points_of_side = 8;

double dot(const Direction& a, const Direction& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Direction cross(const Direction& a, const Direction& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Direction normalised(const Direction& a) {
  const double length = std::sqrt(dot(a, a));
  return {a[0] / length, a[1] / length, a[2] / length};
}

std::vector<SkyPosition> places_of(const std::string& header, const std::vector<double>& x,
                                   const std::vector<double>& y) {
  std::vector<SkyPosition> places;
  if (const std::string reason = find_on_sky(header, x, y, places); !reason.empty())
    throw Error(ErrorKind::input, reason);
  return places;
}

bool is_known(const SkyPosition& place) {
  return std::isfinite(place.alpha) && std::isfinite(place.delta);
}

/// Directions of points along the outer edge of an image, in order around it from its first corner.
std::vector<Direction> edge_of(const std::string& header, const Shape& shape) {
  const auto width = static_cast<double>(shape.width), height = static_cast<double>(shape.height);
  std::vector<double> x, y;
  for (int side = 0; side < 4; ++side) {
    for (int i = 0; i < points_of_side; ++i) {
      const double step = static_cast<double>(i) / points_of_side;
      const double u = side == 0 ? step : (side == 1 ? 1 : (side == 2 ? 1 - step : 0));
      const double v = side == 0 ? 0 : (side == 1 ? step : (side == 2 ? 1 : 1 - step));
      x.push_back(0.5 + u * width);
      y.push_back(0.5 + v * height);
    }
  }
  std::vector<Direction> edge;
  for (const SkyPosition& place : places_of(header, x, y)) {
    if (!is_known(place)) throw Error(ErrorKind::input, "a part of its edge is off the sky");
    edge.push_back(direction_of(place.alpha, place.delta));
  }
  return edge;
}

}  // namespace

TangentPlane::TangentPlane(const Direction& at) : at_(at) {
  constexpr double near_pole = 0.9;
  const Direction other = std::fabs(at[2]) < near_pole ? Direction{0, 0, 1} : Direction{1, 0, 0};
  right_ = normalised(cross(other, at));
  up_ = cross(at, right_);
}

std::array<double, 2> TangentPlane::project(const Direction& direction) const {
  const double depth = cosine(direction);
  return {dot(direction, right_) / depth, dot(direction, up_) / depth};
}

double TangentPlane::cosine(const Direction& direction) const {
  return dot(direction, at_);
}

double angle_between(const Direction& a, const Direction& b) {
  const double chord = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
  return 2 * std::asin(std::min(1.0, chord / 2)) / degree;
}

Footprint::Footprint(const std::string& header, const Shape& shape) {
  const std::vector<Direction> edge = edge_of(header, shape);
  Direction sum{};
  for (const Direction& point : edge)
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += point[i];
  middle_ = normalised(sum);
  plane_ = TangentPlane(middle_);
  for (const Direction& point : edge) {
    if (!(plane_.cosine(point) > 0)) throw Error(ErrorKind::input, "it shows more than half of the sky");
    edge_.push_back(plane_.project(point));
    radius_ = std::max(radius_, angle_between(middle_, point));
  }
}

bool Footprint::contains(const Direction& direction) const {
  if (!(plane_.cosine(direction) > 0)) return false;
  const auto [x, y] = plane_.project(direction);
  bool inside = false;
  for (std::size_t i = 0, before = edge_.size() - 1; i < edge_.size(); before = i++) {
    const auto [x0, y0] = edge_[before];
    const auto [x1, y1] = edge_[i];
    if ((y0 > y) != (y1 > y) && x < x0 + (y - y0) / (y1 - y0) * (x1 - x0)) inside = !inside;
  }
  return inside;
}

std::vector<Direction> grid_on_sky(const std::string& header, const Shape& shape, int count) {
  std::vector<double> x, y;
  for (int j = 0; j < count; ++j) {
    for (int i = 0; i < count; ++i) {
      x.push_back(0.5 + (i + 0.5) / count * static_cast<double>(shape.width));
      y.push_back(0.5 + (j + 0.5) / count * static_cast<double>(shape.height));
    }
  }
  std::vector<Direction> grid;
  for (const SkyPosition& place : places_of(header, x, y))
    if (is_known(place)) grid.push_back(direction_of(place.alpha, place.delta));
  return grid;
}

}  // namespace srcextract
