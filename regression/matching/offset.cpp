#include "regression/matching/offset.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include "regression/statistics/robust.hpp"

namespace srcextract {

Axes axes_of(const Alignment& alignment) {
  switch (alignment.change) {
    case Change::flip_x:
      return {false, -1, 1};
    case Change::flip_y:
      return {false, 1, -1};
    case Change::rotate_180:
      return {false, -1, -1};
    case Change::swap:
      return {true, 1, 1};
    case Change::swap_flip:
      return {true, alignment.x_reversed ? -1.0 : 1.0, alignment.y_reversed ? -1.0 : 1.0};
    case Change::none:
    case Change::shift:
    case Change::hours:
    case Change::radians:
      break;
  }
  return {};
}

bool is_unit(Change change) {
  return change == Change::hours || change == Change::radians;
}

Positions undone(const Positions& other, const Alignment& alignment) {
  Positions result = other;
  if (alignment.change == Change::none) return result;
  constexpr double degrees_per_hour = 15, degrees_per_radian = 180 / std::numbers::pi;
  const Axes axes = axes_of(alignment);
  for (std::size_t row = 0; row < result.x.size(); ++row) {
    double& x = result.x[row];
    double& y = result.y[row];
    if (alignment.change == Change::hours) {
      x *= degrees_per_hour;
    } else if (alignment.change == Change::radians) {
      x *= degrees_per_radian;
      y *= degrees_per_radian;
    } else {
      x = axes.sign_x * (x - alignment.dx);
      y = axes.sign_y * (y - alignment.dy);
      if (axes.swapped) std::swap(x, y);
    }
  }
  return result;
}

Offset excess(const Positions& reference, std::size_t i, const Positions& other, std::size_t j,
              const Alignment& alignment) {
  const Axes axes = axes_of(alignment);
  const double a = axes.swapped ? reference.y[i] : reference.x[i], b = axes.swapped ? reference.x[i] : reference.y[i];
  Offset offset{other.x[j] - axes.sign_x * a - alignment.dx, other.y[j] - axes.sign_y * b - alignment.dy};
  if (reference.frame == Frame::sky) {
    double& ra = axes.swapped ? offset.y : offset.x;
    ra = std::remainder(ra, 360.0);
  }
  return offset;
}

void add_median(Alignment& alignment, const std::vector<Offset>& left) {
  std::vector<double> x, y;
  for (const Offset& offset : left) {
    x.push_back(offset.x);
    y.push_back(offset.y);
  }
  alignment.dx += median_of(x);
  alignment.dy += median_of(y);
}

void refine(Alignment& alignment, const Positions& reference, const Positions& other, const Matches& matches) {
  if (is_unit(alignment.change) || matches.reference.empty()) return;
  std::vector<Offset> left;
  for (std::size_t k = 0; k < matches.reference.size(); ++k) {
    left.push_back(excess(reference, static_cast<std::size_t>(matches.reference[k]), other,
                          static_cast<std::size_t>(matches.other[k]), alignment));
  }
  add_median(alignment, left);
}

}  // namespace srcextract
