#pragma once

#include <cmath>
#include <cstdint>

#include "stages/measure/ellipse.hpp"
#include "stages/photometry/lanes.hpp"
#include "stages/photometry/photometry_image.hpp"

namespace srcextract {

/// Position and ellipse of a source, from sums over its pixels in the detection image. Elliptical apertures are scaled
/// versions of this ellipse. The ellipse cxx dx^2 + cyy dy^2 + cxy dx dy = 1 has the semi-axes a and b in pixels
/// (SExtractor's CXX_IMAGE and so on, in float as in SExtractor).
struct SourceShape {
  double x, y;  ///< in pixels from 0
  float a, b;
  float cxx, cyy, cxy;
  /// false if the source cannot be measured: with negative pixels the ellipse may not exist, or the position may be
  /// outside the image
  bool defined;
};

SRCEXTRACT_HOST_DEVICE inline SourceShape shape_of(const SourceSums& s, const Parentage& parentage, std::int32_t width,
                                                   std::int32_t height) {
  const SourceOffset position = position_of(s, parentage);
  const SecondMoments moments = moments_about(s, position);
  const EllipseAxes m = axes_about(moments.x2, moments.y2, moments.xy);
  const double determinant = m.x2 * m.y2 - m.xy * m.xy;
  SourceShape shape{};
  shape.x = s.xmin + position.x;
  shape.y = s.ymin + position.y;
  shape.a = static_cast<float>(m.a);
  shape.b = static_cast<float>(m.b);
  shape.cxx = static_cast<float>(m.y2 / determinant);
  shape.cyy = static_cast<float>(m.x2 / determinant);
  shape.cxy = static_cast<float>(-2 * m.xy / determinant);
  const bool in_image = shape.x >= 0 && shape.x <= width - 1 && shape.y >= 0 && shape.y <= height - 1;
  constexpr float huge = 1e15F;  // larger than any image
  shape.defined = in_image && determinant > 0 && shape.cxx > 0 && shape.cyy > 0 && shape.a > 0 && shape.a < huge;
  return shape;
}

/// Returns the shape with a circle of radius 1 pixel in place of the ellipse.
SRCEXTRACT_HOST_DEVICE inline SourceShape circle_of(SourceShape shape) {
  shape.a = shape.b = shape.cxx = shape.cyy = 1;
  shape.cxy = 0;
  return shape;
}

/// Returns the centroid relative to the first column and row of the source's pixels.
SRCEXTRACT_HOST_DEVICE inline SourceOffset offset_of(const SourceShape& shape, const SourceSums& s) {
  return {shape.x - s.xmin, shape.y - s.ymin};
}

SRCEXTRACT_HOST_DEVICE inline ApertureBox own_box(const SourceSums& s) {
  return {s.xmin, s.xmax + 1, s.ymin, s.ymax + 1, false};
}

/// Returns the squared factor by which the source's ellipse must be scaled to pass through the centre of pixel (x, y).
SRCEXTRACT_HOST_DEVICE inline float square_of_scale(const SourceShape& shape, std::int32_t x, std::int32_t y) {
  const float dx = static_cast<float>(x) - static_cast<float>(shape.x);
  const float dy = static_cast<float>(y) - static_cast<float>(shape.y);
  return shape.cxx * dx * dx + shape.cyy * dy * dy + shape.cxy * dx * dy;
}

/// Returns the box of the source's ellipse, scaled by `scale`. If the ellipse is so thin that rounding leaves no box,
/// returns the box of the enclosing circle.
SRCEXTRACT_HOST_DEVICE inline ApertureBox box_of_ellipse(const SourceShape& shape, float scale,
                                                         const PhotometryImage& image) {
  const double cxy2 = static_cast<double>(shape.cxy) * shape.cxy;
  const double along_x = shape.cxx - cxy2 / (4.0 * shape.cyy), along_y = shape.cyy - cxy2 / (4.0 * shape.cxx);
  const double circle = static_cast<double>(scale) * shape.a;
  const double across = along_x > 0 ? scale / std::sqrt(along_x) : circle;
  const double down = along_y > 0 ? scale / std::sqrt(along_y) : circle;
  const auto cx = static_cast<float>(shape.x), cy = static_cast<float>(shape.y);
  return box_within(std::floor(cx - across + 0.5), std::floor(cx + across + 0.5) + 1, std::floor(cy - down + 0.5),
                    std::floor(cy + down + 0.5) + 1, image.width, image.height);
}

/// Returns the box of a circle, limited to the image. The edges are rounded in the precision of Real.
template <class Real>
SRCEXTRACT_HOST_DEVICE ApertureBox box_of_circle(Real x, Real y, Real radius, const PhotometryImage& image) {
  constexpr auto near = static_cast<Real>(0.499999), far = static_cast<Real>(1.499999);
  return box_within(static_cast<double>(x - radius + near), static_cast<double>(x + radius + far),
                    static_cast<double>(y - radius + near), static_cast<double>(y + radius + far), image.width,
                    image.height);
}

}  // namespace srcextract
