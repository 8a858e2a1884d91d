#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "python/core/sep/image.hpp"
#include "stages/photometry/exact_overlap.hpp"

// The geometry of SEP's apertures, in double. The geometry of SExtractor's apertures (stages/photometry) is in float.

namespace srcextract::python {

/// The pixels that an aperture may reach, as ranges [begin, end), and whether the aperture extends beyond the image.
struct SepBox {
  std::int64_t x_begin = 0, x_end = 0, y_begin = 0, y_end = 0;
  bool cut = false;

  std::int64_t width() const { return x_end - x_begin; }
  bool empty() const { return x_begin >= x_end || y_begin >= y_end; }
  bool has_pixels_of(const SepBox& other) const {
    return x_begin == other.x_begin && x_end == other.x_end && y_begin == other.y_begin && y_end == other.y_end;
  }

  /// Calls f(row) for all rows. Before long rows, stops the work if asked to (stop_if_asked).
  template <class F>
  void for_each_row(const F& f) const {
    constexpr std::int64_t long_row = 512;
    for (std::int64_t row = y_begin; row < y_end; ++row) {
      if (width() > long_row) stop_if_asked();
      f(row);
    }
  }
};

/// The box about (x, y) with the half sizes `reach_x` and `reach_y`. Rounds as SEP does, towards zero.
inline SepBox sep_box(double x, double y, double reach_x, double reach_y, const Shape& shape) {
  SepBox box;
  const auto along = [&](double at, double reach, std::int64_t size, std::int64_t& begin, std::int64_t& end) {
    const double low = std::trunc(at - reach + 0.5), high = std::trunc(at + reach + 1.4999999);
    const auto limit = static_cast<double>(size);
    if (!(low >= 0) || !(high <= limit)) box.cut = true;
    if (!(low < limit) || !(high > 0)) return;  // true also for NaN
    begin = static_cast<std::int64_t>(std::max(low, 0.0));
    end = static_cast<std::int64_t>(std::min(high, limit));
  };
  along(x, reach_x, shape.width, box.x_begin, box.x_end);
  along(y, reach_y, shape.height, box.y_begin, box.y_end);
  return box;
}

/// The ellipses cxx dx^2 + cyy dy^2 + cxy dx dy = r^2 around (x, y). For r = 1, the semi-axes are a and b. For circles,
/// cxx = cyy = 1 and cxy = 0.
struct SepEllipse {
  double x, y;
  double cxx = 1, cyy = 1, cxy = 0;
  double reach_x = 1, reach_y = 1;  ///< half width and half height of the ellipse with r = 1
  double a = 1, b = 1, cosine = 1, sine = 0;
  bool circle = true;

  static SepEllipse of_axes(double x, double y, double a, double b, double theta) {
    const double c = std::cos(theta), s = std::sin(theta), a2 = 1 / (a * a), b2 = 1 / (b * b);
    const bool is_one = a > 0 && b > 0;  // an invalid ellipse has size 0, and no image edge cuts a size of 0
    return {.x = x,
            .y = y,
            .cxx = c * c * a2 + s * s * b2,
            .cyy = s * s * a2 + c * c * b2,
            .cxy = 2 * c * s * (a2 - b2),
            .reach_x = is_one ? std::sqrt(c * c * a * a + s * s * b * b) : 0,
            .reach_y = is_one ? std::sqrt(s * s * a * a + c * c * b * b) : 0,
            .a = a,
            .b = b,
            .cosine = c,
            .sine = s,
            .circle = false};
  }

  double square(double dx, double dy) const { return cxx * dx * dx + cyy * dy * dy + cxy * dx * dy; }

  /// The box of the ellipse of size r, within an image of the given shape.
  SepBox box(double r, const Shape& shape) const { return sep_box(x, y, r * reach_x, r * reach_y, shape); }
};

/// Twice the signed area that the unit circle around (0, 0) has in common with the triangle (0, 0), p, q.
inline double twice_triangle_in_circle(double px, double py, double qx, double qy) {
  const auto sector = [](double ax, double ay, double bx, double by) {
    return std::atan2(ax * by - ay * bx, ax * bx + ay * by);
  };
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
  return area + (inx * outy - iny * outx);
}

/// The area of a pixel at (dx, dy) inside an ellipse of size `r` around (0, 0). The affine map that makes the ellipse a
/// unit circle turns the pixel into a parallelogram, whose common area with the circle is computed.
inline double exact_ellipse_overlap(const SepEllipse& ellipse, double r, double dx, double dy) {
  if (!(r > 0)) return 0;
  if (ellipse.circle) return exact_overlap(dx, dy, r);
  const double along = 1 / (ellipse.a * r), across = 1 / (ellipse.b * r);
  constexpr std::array<double, 4> corner_x{-0.5, 0.5, 0.5, -0.5}, corner_y{-0.5, -0.5, 0.5, 0.5};
  std::array<double, 4> u{}, v{};
  for (std::size_t k = 0; k < 4; ++k) {
    const double x = dx + corner_x[k], y = dy + corner_y[k];
    u[k] = (x * ellipse.cosine + y * ellipse.sine) * along;
    v[k] = (y * ellipse.cosine - x * ellipse.sine) * across;
  }
  double twice = 0;
  for (std::size_t k = 0; k < 4; ++k) twice += twice_triangle_in_circle(u[k], v[k], u[(k + 1) % 4], v[(k + 1) % 4]);
  return std::clamp(twice / 2 / (along * across), 0.0, 1.0);
}

/// Half the diagonal of a pixel, rounded up.
inline constexpr double pixel_reach = 0.7072;

/// Columns [begin, end) of a row.
struct SepStretch {
  std::int64_t begin, end;

  std::int64_t length() const { return end - begin; }
};

/// Finds the pixels of rows that lie inside an ellipse. Along a row, the squared distance is a parabola.
class EllipseRows {
 public:
  explicit EllipseRows(const SepEllipse& ellipse)
      : ellipse_(ellipse), lean_(-ellipse.cxy / (2 * ellipse.cxx)), rest_(ellipse.cyy + lean_ * ellipse.cxy / 2) {}

  /// The pixels in a row of the box whose squared distance is below `square`.
  SepStretch within(std::int64_t row, double square, const SepBox& box) const {
    SepStretch inside = about(row, square, box);
    const auto is_in = [&](std::int64_t column) {
      return ellipse_.square(static_cast<double>(column) - ellipse_.x, static_cast<double>(row) - ellipse_.y) < square;
    };
    while (inside.begin < inside.end && !is_in(inside.begin)) ++inside.begin;
    while (inside.end > inside.begin && !is_in(inside.end - 1)) --inside.end;
    return inside;
  }

  /// Like within(), but faster, and with up to two pixels too many at each end.
  SepStretch about(std::int64_t row, double square, const SepBox& box) const {
    const double dy = static_cast<double>(row) - ellipse_.y, left = (square - rest_ * dy * dy) / ellipse_.cxx;
    if (!(left >= 0)) return {box.x_begin, box.x_begin};
    const double half = std::sqrt(left), middle = ellipse_.x + lean_ * dy;
    const auto first = static_cast<double>(box.x_begin), last = static_cast<double>(box.x_end);
    const auto at = [&](double place) { return static_cast<std::int64_t>(std::clamp(place, first, last)); };
    const SepStretch near{at(std::ceil(middle - half) - 1), at(std::floor(middle + half) + 2)};
    return near.begin < near.end ? near : SepStretch{box.x_begin, box.x_begin};
  }

 private:
  const SepEllipse& ellipse_;
  double lean_;  ///< shift in x, per step in y, of the column with the least squared distance of a row
  double rest_;  ///< that least squared distance, for a unit step in y
};

/// The ring between two ellipses. The share of a pixel inside is counted with sub-pixels, or is the exact area if
/// sub_pixels is 0. By the squared distance of a pixel's centre, a pixel may have a share between inner_in and
/// outer_out, both excluded. A pixel is wholly inside from inner_out to outer_in, both included.
struct SepAnnulus {
  const SepEllipse& ellipse;
  double inner, outer;  ///< sizes of the ellipses; a negative `inner` means no inner ellipse
  std::int64_t sub_pixels;
  double outer2, inner2;  ///< squares of `outer` and `inner`
  /// Squares of sizes enlarged (_out) or reduced (_in) by half the diagonal of a pixel.
  double outer_out, outer_in, inner_out, inner_in;

  SepAnnulus(const SepEllipse& of, double from, double to, std::int64_t parts)
      : ellipse(of), inner(from), outer(to), sub_pixels(parts) {
    const double margin = of.circle ? pixel_reach : pixel_reach / of.b;
    const auto square = [](double r) { return r > 0 ? r * r : 0.0; };
    outer2 = outer * outer;
    outer_out = square(outer + margin);
    outer_in = square(outer - margin);
    inner2 = is_ring() ? inner * inner : -1;
    inner_out = is_ring() ? square(inner + margin) : -1;
    inner_in = is_ring() ? square(inner - margin) : -1;
  }

  bool is_ring() const { return inner >= 0; }

  /// The exact area of a pixel that is inside the ring.
  double exact_part(double dx, double dy) const {
    return exact_ellipse_overlap(ellipse, outer, dx, dy) -
           (is_ring() ? exact_ellipse_overlap(ellipse, inner, dx, dy) : 0);
  }
};

}  // namespace srcextract::python
