#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "stages/core/host_device.hpp"
#include "stages/math/near_sqrt.hpp"

namespace srcextract {

/// Counts how many of the Side x Side sub-pixels of one pixel have their centres in a circle about (0, 0). (u, v) is
/// the centre of the first sub-pixel. If Width > 1, the row of sub-pixels is padded to a whole vector; padding counts
/// as outside the circle.
template <int Side, int Width>
SRCEXTRACT_HOST_DEVICE std::int32_t sub_pixels_inside(float u, float v, float radius2) {
  constexpr int vector = 16, columns = Width == 1 ? Side : (Side + vector - 1) / vector * vector;
  constexpr float step = 1.0F / static_cast<float>(Side);
  float u2[columns];
  for (int k = 0; k < Side; ++k, u += step) u2[k] = u * u;
  for (int k = Side; k < columns; ++k) u2[k] = std::numeric_limits<float>::infinity();
  std::int32_t inside[columns] = {}, sum = 0;
  for (int j = 0; j < Side; ++j, v += step) {
    const float v2 = v * v;
    for (int k = 0; k < columns; ++k) inside[k] += u2[k] + v2 < radius2 ? 1 : 0;
  }
  for (int k = 0; k < columns; ++k) sum += inside[k];
  return sum;
}

/// Finds the fraction of a pixel that is inside a circle about (0, 0), as SExtractor does:
/// - a pixel well inside the circle counts 1;
/// - a pixel at the edge counts the fraction of its Side x Side sub-pixels whose centres are inside;
/// - a pixel well outside the circle counts 0.
///
/// Pixels have their centres at (dx, dy). All arithmetic is in float, and positions of sub-pixels are found by repeated
/// addition of a step, as in SExtractor.
template <int Side>
class CircleOverlap {
 public:
  static constexpr std::int32_t all = Side * Side;  ///< number of sub-pixels
  static constexpr std::int32_t whole = all + 1;    ///< mark of a pixel well inside the circle, in place of a count
  static constexpr std::int32_t crossed = -1;  ///< mark of a pixel at the edge whose sub-pixels are not counted yet

  SRCEXTRACT_HOST_DEVICE explicit CircleOverlap(float radius) : radius_(radius), radius2_(radius * radius) {}

  /// Converts a number of sub-pixels inside the circle, or the mark `whole`, to the fraction of the pixel's area.
  /// `whole` is exactly 1; `all` may give 1.0000001, for (1 / Side)^2 is rounded.
  SRCEXTRACT_HOST_DEVICE static float part(std::int32_t inside) {
    return inside == whole ? 1 : static_cast<float>(inside) * (step * step);
  }

  /// reach(): pixels at this distance or further from the centre count 0. core(): pixels up to this distance count 1.
  SRCEXTRACT_HOST_DEVICE float reach() const { return radius_ + 0.75F; }
  SRCEXTRACT_HOST_DEVICE float core() const { return radius_ - 0.75F > 0 ? radius_ - 0.75F : 0; }

  /// Sets inside[i] to `whole` for a pixel within core(), to 0 if all sub-pixels are outside, and to `all` if all
  /// sub-pixels are inside. Every other pixel is crossed by the circle, or too near to the circle for float arithmetic
  /// to decide, and gets `crossed`.
  template <int Width>
  SRCEXTRACT_HOST_DEVICE void look(const float (&dx)[Width], const float (&dy)[Width],
                                   std::int32_t (&inside)[Width]) const {
    constexpr float rounding = 4e-6F;
    const float outer2 = reach() * reach(), inner2 = core() * core();
    for (int i = 0; i < Width; ++i) {
      const float distance = dx[i] * dx[i] + dy[i] * dy[i], across = fabsf(dx[i]), down = fabsf(dy[i]);
      const float slack_x = rounding * (across + 1), slack_y = rounding * (down + 1);
      const float near_x = across + first - slack_x > 0 ? across + first - slack_x : 0;
      const float near_y = down + first - slack_y > 0 ? down + first - slack_y : 0;
      const float far_x = across - first + slack_x, far_y = down - first + slack_y;
      const std::int32_t judged = near_x * near_x + near_y * near_y > radius2_ ? 0
                                  : far_x * far_x + far_y * far_y < radius2_   ? all
                                                                               : crossed;
      inside[i] = !(distance < outer2) ? 0 : distance <= inner2 ? whole : judged;
    }
  }

  /// Sets inside[i] to the number of pixel i's sub-pixels that are inside the circle.
  template <int Width>
  SRCEXTRACT_HOST_DEVICE void count(const float (&dx)[Width], const float (&dy)[Width],
                                    std::int32_t (&inside)[Width]) const {
    std::int32_t unsure[Width];
    constexpr bool is_few = Width == 1 && Side <= 5;  // testing every sub-pixel is then as fast as count_by_chords()
    if constexpr (is_few) {
      inside[0] = sub_pixels_inside<Side, Width>(dx[0] + first, dy[0] + first, radius2_);
    } else {
      count_by_chords(dx, dy, inside, unsure);
      std::int32_t any_unsure = 0;
      for (int i = 0; i < Width; ++i) any_unsure |= unsure[i];
      if (any_unsure == 0) return;
      for (int i = 0; i < Width; ++i)
        if (unsure[i] != 0) inside[i] = sub_pixels_inside<Side, Width>(dx[i] + first, dy[i] + first, radius2_);
    }
  }

  template <int Width>
  SRCEXTRACT_HOST_DEVICE void parts(const float (&dx)[Width], const float (&dy)[Width], float (&part_of)[Width]) const {
    std::int32_t inside[Width], counted[Width], any = 0;
    look(dx, dy, inside);
    for (int i = 0; i < Width; ++i) any |= inside[i];
    if (any < 0) {
      count(dx, dy, counted);
      for (int i = 0; i < Width; ++i) inside[i] = inside[i] == crossed ? counted[i] : inside[i];
    }
    for (int i = 0; i < Width; ++i) part_of[i] = part(inside[i]);
  }

 private:
  static constexpr float side = Side, step = 1.0F / side, first = 0.5F * (step - 1);

  /// Counts sub-pixels inside the circle by chords of the circle. Each row or column of sub-pixels lies on a chord,
  /// along the axis on which the pixel is further from the centre. At most one end of the chord is in the pixel; the
  /// sub-pixels before this end are inside. unsure[i] becomes 1 if rounding could move the end past the centre of a
  /// sub-pixel.
  template <int Width>
  SRCEXTRACT_HOST_DEVICE void count_by_chords(const float (&dx)[Width], const float (&dy)[Width],
                                              std::int32_t (&inside)[Width], std::int32_t (&unsure)[Width]) const {
    constexpr float half_side = 0.5F * side;
    float aside[Width], place[Width], nearest[Width], from_middle[Width];
    for (int i = 0; i < Width; ++i) {
      const float across = fabsf(dx[i]), down = fabsf(dy[i]);
      // position of the first sub-pixel minus 1, in sub-pixels
      place[i] = (across > down ? across : down) * side - (half_side + 0.5F);
      aside[i] = (across > down ? down : across) + first;
      nearest[i] = radius2_;
      from_middle[i] = 0;  // largest distance of a chord's end from the middle between two sub-pixel centres
      inside[i] = 0;
    }
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
    for (int j = 0; j < Side; ++j) {
      for (int i = 0; i < Width; ++i) {
        const float v = aside[i] + static_cast<float>(j) * step, square = radius2_ - v * v, size = fabsf(square);
        nearest[i] = size < nearest[i] ? size : nearest[i];
        const float end = near_sqrt(square > 0 ? square : 0) * side - place[i], above = end > 0.5F ? end : 0.5F;
        const float near = above < side + 0.5F ? above : side + 0.5F;
        const auto sub_pixels = static_cast<std::int32_t>(near);
        const float off = fabsf(near - static_cast<float>(sub_pixels) - 0.5F);
        from_middle[i] = off > from_middle[i] ? off : from_middle[i];
        inside[i] += sub_pixels;
      }
    }
    // `slack` bounds the rounding error of positions, here and in sub_pixels_inside(): Side additions, each with an
    // error of up to 6e-8 of radius + 2. The error of a square root is the error of its argument divided by the root.
    for (int i = 0; i < Width; ++i) {
      const float slack = side * 2e-6F * (radius_ + 2) * (1 + radius_ / near_sqrt(nearest[i]));
      unsure[i] = from_middle[i] < 0.5F - slack && place[i] + 1 > slack ? 0 : 1;
    }
  }

  float radius_, radius2_;
};

/// A circle whose centre (cx, cy) has coordinates of type Real.
template <int Side, class Real>
struct PlacedCircle {
  Real cx, cy;
  CircleOverlap<Side> overlap;

  SRCEXTRACT_HOST_DEVICE PlacedCircle(Real x, Real y, float radius) : cx(x), cy(y), overlap(radius) {}

  /// across(): signed distance of column x from the centre. down(): signed distance of row y from the centre.
  SRCEXTRACT_HOST_DEVICE float across(std::int32_t x) const { return static_cast<float>(static_cast<Real>(x) - cx); }
  SRCEXTRACT_HOST_DEVICE float down(std::int32_t y) const { return static_cast<float>(static_cast<Real>(y) - cy); }
};

/// Width consecutive pixels of a row, and the fraction of each pixel that is in a circle.
template <int Width>
struct CircleBlock {
  std::int32_t x, y;  ///< position of the first pixel
  int count;          ///< number of pixels that are inside the box
  float dx[Width], dy;
  float part[Width];           ///< fraction of each pixel that is in the circle
  std::int32_t wanted[Width];  ///< 1 if the fraction is above 0, else 0
};

}  // namespace srcextract
