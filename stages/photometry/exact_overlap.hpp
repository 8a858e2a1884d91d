#pragma once

#include <cmath>
#include <cstdint>

#include "stages/math/circle_segment.hpp"
#include "stages/photometry/measured_source.hpp"

namespace srcextract {

/// Returns the area common to the circle about (0, 0) and the rectangle [left, right] x [bottom, top], which must be in
/// the first quadrant. The arc enters the rectangle through the left or the upper edge, and leaves through the right or
/// the lower edge. The common area is the sum of
/// - the rectangle left of the point where the arc enters;
/// - the trapezoid below the chord between the two points;
/// - the segment between chord and arc.
SRCEXTRACT_HOST_DEVICE inline double overlap_in_quadrant(double left, double right, double bottom, double top,
                                                         double radius) {
  const double radius2 = radius * radius, whole = (right - left) * (top - bottom);
  if (left * left + bottom * bottom >= radius2) return 0;
  if (right * right + top * top <= radius2) return whole;
  const auto arc_at = [radius](double x) { return x < radius ? std::sqrt((radius - x) * (radius + x)) : 0.0; };
  const auto within = [](double x, double least, double most) { return x < least ? least : x > most ? most : x; };
  double from_x = left, from_y = top, to_x = right, to_y = bottom;
  if (left * left + top * top < radius2)
    from_x = within(arc_at(top), left, right);
  else
    from_y = within(arc_at(left), bottom, top);
  if (right * right + bottom * bottom < radius2)
    to_y = within(arc_at(right), bottom, from_y);
  else
    to_x = within(arc_at(bottom), from_x, right);
  const double across = to_x - from_x, down = from_y - to_y;
  const double half_chord = 0.5 * std::sqrt(across * across + down * down);
  const double ratio = half_chord / radius;
  const double area = (from_x - left) * (top - bottom) + across * 0.5 * ((from_y - bottom) + (to_y - bottom)) +
                      radius2 * circle_segment(ratio < 1 ? ratio : 1);
  return within(area, 0, whole);
}

/// Returns the area common to the circle about (0, 0) and the pixel with centre (dx, dy), with an error below 1e-15.
/// Rounding of the squared radius shifts the edge by another 1e-16 of the radius. Host and GPU compute the same bits.
SRCEXTRACT_HOST_DEVICE inline double exact_overlap(double dx, double dy, double radius) {
  const double x = std::fabs(dx), y = std::fabs(dy), left = x - 0.5, bottom = y - 0.5, right = x + 0.5, top = y + 0.5;
  const double near_x = left > 0 ? left : 0, near_y = bottom > 0 ? bottom : 0;
  double area = overlap_in_quadrant(near_x, right, near_y, top, radius);
  // The parts of the pixel at negative x or y are mirrored into the first quadrant.
  if (left < 0) area += overlap_in_quadrant(0, -left, near_y, top, radius);
  if (bottom < 0) area += overlap_in_quadrant(near_x, right, 0, -bottom, radius);
  if (left < 0 && bottom < 0) area += overlap_in_quadrant(0, -left, 0, -bottom, radius);
  return area;
}

/// Sets part[i] to the fraction of the pixel with centre (dx[i], dy) that is in the circle about (0, 0).
template <int Width>
SRCEXTRACT_HOST_DEVICE void exact_overlaps(const double (&dx)[Width], double dy, double radius, double (&part)[Width]) {
  const double radius2 = radius * radius, down = std::fabs(dy), far_y = down + 0.5;
  const double near_y = down > 0.5 ? down - 0.5 : 0;
  std::int32_t crossed[Width], any_crossed = 0;
  for (int i = 0; i < Width; ++i) {
    const double across = std::fabs(dx[i]), far_x = across + 0.5, near_x = across > 0.5 ? across - 0.5 : 0;
    const bool all = far_x * far_x + far_y * far_y <= radius2, none = near_x * near_x + near_y * near_y >= radius2;
    part[i] = all ? 1 : 0;
    crossed[i] = all || none ? 0 : 1;
  }
  for (int i = 0; i < Width; ++i) any_crossed |= crossed[i];
  if (any_crossed == 0) return;
  for (int i = 0; i < Width; ++i)
    if (crossed[i] != 0) part[i] = exact_overlap(dx[i], dy, radius);
}

/// The smallest box that contains all pixels that a circle touches, limited to the image.
SRCEXTRACT_HOST_DEVICE inline ApertureBox exact_box_of_circle(double x, double y, double radius,
                                                              const PhotometryImage& image) {
  return box_within(std::floor(x - radius + 0.5), std::floor(x + radius + 0.5) + 1, std::floor(y - radius + 0.5),
                    std::floor(y + radius + 0.5) + 1, image.width, image.height);
}

/// Sums of light and variance in the circle about a source, where each pixel is weighted by the exact area of its part
/// inside the circle (photutils and SEP call this method "exact"). Masked pixels are treated as in other apertures.
/// `cut` is true if a part of the circle is outside the image.
struct ExactLight {
  double light, variance;
  bool cut;
};

template <class Lanes>
SRCEXTRACT_HOST_DEVICE ExactLight exact_light_in_circle(const Lanes& lanes, const MeasuredSource& source,
                                                        const PhotometryImage& image, double radius) {
  constexpr int width = Lanes::width;
  const double cx = source.shape.x, cy = source.shape.y;
  const ApertureBox box = exact_box_of_circle(cx, cy, radius, image);
  const auto add = [&](std::int32_t x, std::int32_t y, int size, BlockSums<2, width>& pixels) {
    double dx[width], weight[width];
    std::int32_t wanted[width];
    for (int i = 0; i < width; ++i) dx[i] = x + i - cx;
    exact_overlaps<width>(dx, y - cy, radius, weight);
    for (int i = 0; i < width; ++i) wanted[i] = i < size && weight[i] > 0 ? 1 : 0;
    const auto sample =
        image.samples(x, y, size, source.number, static_cast<float>(cx), static_cast<float>(cy), wanted);
    for (int i = 0; i < width; ++i)
      pixels.of[0][i] = wanted[i] != 0 ? weight[i] * (sample.value[i] - source.local_sky) : 0;
    for (int i = 0; i < width; ++i) {
      const double variance = image.with_photons(weight[i], sample.value[i], sample.variance[i]);
      pixels.of[1][i] = wanted[i] != 0 ? variance : 0;
    }
  };
  const Sums<2> sums = lanes.template sum_of_blocks<2>(box, add);
  return {sums.of[0], sums.of[1], box.cut};
}

}  // namespace srcextract
