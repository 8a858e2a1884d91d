#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "stages/photometry/exact_overlap.hpp"

namespace srcextract::python {

/// An ellipse cxx dx^2 + cyy dy^2 + cxy dx dy = r^2, where r = 1 has the axes a and b. For a circle the coefficients
/// are 1, 1 and 0.
struct EllipseForm {
  double cxx = 1, cyy = 1, cxy = 0;
  double a = 1, b = 1, cosine = 1, sine = 0;
  bool circle = true;
  double reach_x = 1, reach_y = 1;  ///< half sizes for r = 1

  static EllipseForm of_axes(double a, double b, double theta) {
    const double c = std::cos(theta), s = std::sin(theta), a2 = 1 / (a * a), b2 = 1 / (b * b);
    const bool is_one = a > 0 && b > 0;  // an invalid ellipse has no size, and no edge cuts it
    return {c * c * a2 + s * s * b2,
            s * s * a2 + c * c * b2,
            2 * c * s * (a2 - b2),
            a,
            b,
            c,
            s,
            false,
            is_one ? std::sqrt(c * c * a * a + s * s * b * b) : 0,
            is_one ? std::sqrt(s * s * a * a + c * c * b * b) : 0};
  }

  double square(double dx, double dy) const { return cxx * dx * dx + cyy * dy * dy + cxy * dx * dy; }
};

/// Twice the signed area of the intersection of the unit circle around (0, 0) with the triangle of (0, 0) and two
/// points.
inline double twice_triangle_in_circle(double px, double py, double qx, double qy) {
  const auto sector = [](double ax, double ay, double bx, double by) {
    return std::atan2(ax * by - ay * bx, ax * bx + ay * by);
  };
  const auto triangle = [](double ax, double ay, double bx, double by) { return ax * by - ay * bx; };
  const double dx = qx - px, dy = qy - py;
  const double a = dx * dx + dy * dy, half_b = px * dx + py * dy, c = px * px + py * py - 1;
  const double discriminant = half_b * half_b - a * c;
  if (a == 0) return 0;
  if (!(discriminant > 0)) return sector(px, py, qx, qy);
  const double root = std::sqrt(discriminant), from = (-half_b - root) / a, to = (-half_b + root) / a;
  if (to <= 0 || from >= 1) return sector(px, py, qx, qy);
  double area = 0, inx = px, iny = py, outx = qx, outy = qy;
  if (from > 0) {
    inx = px + from * dx;
    iny = py + from * dy;
    area += sector(px, py, inx, iny);
  }
  if (to < 1) {
    outx = px + to * dx;
    outy = py + to * dy;
    area += sector(outx, outy, qx, qy);
  }
  return area + triangle(inx, iny, outx, outy);
}

/// The area of a pixel at (dx, dy) inside an ellipse of size `r` around (0, 0). The map from the ellipse to a circle
/// turns the pixel into a parallelogram.
inline double exact_ellipse_overlap(const EllipseForm& form, double r, double dx, double dy) {
  if (!(r > 0)) return 0;
  if (form.circle) return exact_overlap(dx, dy, r);
  const double along = 1 / (form.a * r), across = 1 / (form.b * r);
  constexpr std::array<double, 4> corner_x{-0.5, 0.5, 0.5, -0.5}, corner_y{-0.5, -0.5, 0.5, 0.5};
  std::array<double, 4> u{}, v{};
  for (std::size_t k = 0; k < 4; ++k) {
    const double x = dx + corner_x[k], y = dy + corner_y[k];
    u[k] = (x * form.cosine + y * form.sine) * along;
    v[k] = (y * form.cosine - x * form.sine) * across;
  }
  double twice = 0;
  for (std::size_t k = 0; k < 4; ++k) twice += twice_triangle_in_circle(u[k], v[k], u[(k + 1) % 4], v[(k + 1) % 4]);
  return std::clamp(twice / 2 / (along * across), 0.0, 1.0);
}

/// The pixels of an aperture, [begin, end), and whether the image's edge cuts it.
struct SepBox {
  std::int64_t x_begin = 0, x_end = 0, y_begin = 0, y_end = 0;
  bool cut = false;
};

/// SEP's box: half pixels are truncated towards zero.
inline SepBox sep_box(double x, double y, double reach_x, double reach_y, const Shape& shape) {
  SepBox box;
  const auto along = [&](double at, double reach, std::int64_t size, std::int64_t& begin, std::int64_t& end) {
    const double low = std::trunc(at - reach + 0.5), high = std::trunc(at + reach + 1.4999999);
    const auto limit = static_cast<double>(size);
    if (!(low >= 0) || !(high <= limit)) box.cut = true;
    if (!(low < limit) || !(high > 0)) return;  // also for NaN
    begin = static_cast<std::int64_t>(std::max(low, 0.0));
    end = static_cast<std::int64_t>(std::min(high, limit));
  };
  along(x, reach_x, shape.width, box.x_begin, box.x_end);
  along(y, reach_y, shape.height, box.y_begin, box.y_end);
  return box;
}

/// Half the diagonal of a pixel, rounded up.
inline constexpr double pixel_reach = 0.7072;

/// Pixels [begin, end) of a row.
struct SepStretch {
  std::int64_t begin, end;
};

/// Intersections of rows with an ellipse. The squared distance is a parabola along each row.
class EllipseRows {
 public:
  EllipseRows(const EllipseForm& form, double x, double y)
      : form_(form), x_(x), y_(y), lean_(-form.cxy / (2 * form.cxx)), rest_(form.cyy + lean_ * form.cxy / 2) {}

  /// The pixels of a row of the box with a squared distance below `square`, or equal to it if `or_equal`.
  SepStretch within(std::int64_t row, double square, bool or_equal, const SepBox& box) const {
    const SepStretch near = about(row, square, box);
    SepStretch inside = near;
    const auto is_in = [&](std::int64_t column) {
      const double at = form_.square(static_cast<double>(column) - x_, static_cast<double>(row) - y_);
      return or_equal ? at <= square : at < square;
    };
    while (inside.begin < inside.end && !is_in(inside.begin)) ++inside.begin;
    while (inside.end > inside.begin && !is_in(inside.end - 1)) --inside.end;
    return inside;
  }

  /// As within(), with at most two more pixels at each end.
  SepStretch about(std::int64_t row, double square, const SepBox& box) const {
    const double dy = static_cast<double>(row) - y_, left = (square - rest_ * dy * dy) / form_.cxx;
    if (!(left >= 0)) return {box.x_begin, box.x_begin};
    const double half = std::sqrt(left), middle = x_ + lean_ * dy;
    const auto first = static_cast<double>(box.x_begin), last = static_cast<double>(box.x_end);
    const auto at = [&](double place) { return static_cast<std::int64_t>(std::clamp(place, first, last)); };
    const SepStretch near{at(std::ceil(middle - half) - 1), at(std::floor(middle + half) + 2)};
    return near.begin < near.end ? near : SepStretch{box.x_begin, box.x_begin};
  }

 private:
  const EllipseForm& form_;
  double x_, y_;
  double lean_;  ///< shift along x of the middle of a row, per step along y
  double rest_;  ///< squared distance in the middle of a row, for a unit step along y
};

/// The parts of pixels between two ellipses: by sub-pixels whose centres are inside, or by area without sub-pixels.
class SepAnnulus {
 public:
  /// A negative `inner` means no inner ellipse.
  SepAnnulus(const EllipseForm& form, double inner, double outer, std::int64_t sub_pixels)
      : form_(form), inner_(inner), outer_(outer), sub_pixels_(sub_pixels) {
    const double margin = form.circle ? pixel_reach : pixel_reach / form.b;
    const auto square = [](double r) { return r > 0 ? r * r : 0.0; };
    outer_out_ = square(outer + margin);
    outer_in_ = square(outer - margin);
    inner_out_ = square(inner + margin);
    inner_in_ = square(inner - margin);
  }

  std::int64_t sub_pixels() const { return sub_pixels_; }
  bool is_ring() const { return inner_ >= 0; }
  double outer() const { return outer_; }
  double outer_out() const { return outer_out_; }
  double outer_in() const { return outer_in_; }

  /// The part of a pixel; -1 if it is too far away.
  double part(double dx, double dy) const {
    const double square = form_.square(dx, dy);
    if (!(square < outer_out_) || (is_ring() && !(square > inner_in_))) return -1;
    const bool crossed = square > outer_in_ || (is_ring() && square < inner_out_);
    return crossed ? crossed_part(dx, dy) : 1;
  }

  /// The part of a pixel at an edge.
  double crossed_part(double dx, double dy) const {
    if (sub_pixels_ == 0)
      return exact_ellipse_overlap(form_, outer_, dx, dy) -
             (is_ring() ? exact_ellipse_overlap(form_, inner_, dx, dy) : 0);
    const double step = 1.0 / static_cast<double>(sub_pixels_), first = 0.5 * (step - 1);
    const double outer2 = outer_ * outer_, inner2 = is_ring() ? inner_ * inner_ : -1;
    std::int64_t inside = 0;
    double v = dy + first;
    for (std::int64_t j = 0; j < sub_pixels_; ++j, v += step) {
      double u = dx + first;
      for (std::int64_t i = 0; i < sub_pixels_; ++i, u += step) {
        const double square = form_.square(u, v);
        inside += square < outer2 && square > inner2 ? 1 : 0;
      }
    }
    return static_cast<double>(inside) * (step * step);
  }

 private:
  const EllipseForm& form_;
  double inner_, outer_;
  std::int64_t sub_pixels_;
  double outer_out_, outer_in_, inner_out_, inner_in_;
};

}  // namespace srcextract::python
