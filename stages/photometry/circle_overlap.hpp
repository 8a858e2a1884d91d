#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "stages/core/host_device.hpp"
#include "stages/math/near_sqrt.hpp"

namespace srcextract {

/// Of the Side x Side sub-pixels of a pixel those whose centres are in a circle about (0, 0); (u, v) is the place of
/// the first. Columns that are added to make the loop a vector's are inside of nothing.
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

/// How much of a pixel is in a circle about (0, 0), as SExtractor has it: all of one well inside, of one at the edge
/// those of its Side x Side sub-pixels whose centres are, and none of one beyond the circle's reach. Pixels are at (dx,
/// dy); in float, offsets added up, as there.
template <int Side>
class CircleOverlap {
 public:
  static constexpr std::int32_t all = Side * Side;  ///< sub-pixels
  static constexpr std::int32_t whole = all + 1;    ///< instead of a number: well inside
  static constexpr std::int32_t crossed = -1;       ///< some of them, to be counted

  SRCEXTRACT_HOST_DEVICE explicit CircleOverlap(float radius) : radius_(radius), radius2_(radius * radius) {}

  /// How much of a pixel so many sub-pixels are.
  SRCEXTRACT_HOST_DEVICE static float part(std::int32_t inside) {
    return inside == whole ? 1 : static_cast<float>(inside) * (step * step);
  }

  /// How far from the middle pixels are looked at, and up to where they are whole.
  SRCEXTRACT_HOST_DEVICE float reach() const { return radius_ + 0.75F; }
  SRCEXTRACT_HOST_DEVICE float core() const { return radius_ - 0.75F > 0 ? radius_ - 0.75F : 0; }

  /// How many sub-pixels of each are inside, where the circle does not pass between them by more than the rounding of
  /// any of this: all or none.
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

  /// How many of each are, wherever the pixels lie.
  template <int Width>
  SRCEXTRACT_HOST_DEVICE void count(const float (&dx)[Width], const float (&dy)[Width],
                                    std::int32_t (&inside)[Width]) const {
    std::int32_t unsure[Width];
    constexpr bool is_few = Width == 1 && Side <= 5;  // each is looked at as soon as chords are
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

  /// How much of each is.
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

  /// By where the circle cuts the sub-pixels' rows, along x or y, whichever the pixel is further away by, so that it
  /// has one end of each at most. A sub-pixel is inside or not by how far away it is, unless its centre is too near to
  /// that end for the rounding of either.
  template <int Width>
  SRCEXTRACT_HOST_DEVICE void count_by_chords(const float (&dx)[Width], const float (&dy)[Width],
                                              std::int32_t (&inside)[Width], std::int32_t (&unsure)[Width]) const {
    constexpr float half_side = 0.5F * side;
    float aside[Width], place[Width], nearest[Width], from_middle[Width];
    for (int i = 0; i < Width; ++i) {
      const float across = fabsf(dx[i]), down = fabsf(dy[i]);
      place[i] = (across > down ? across : down) * side - (half_side + 0.5F);  // of the first less 1
      aside[i] = (across > down ? down : across) + first;
      nearest[i] = radius2_;
      from_middle[i] = 0;  // between two whole numbers
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
    // Places, and those that sub_pixels_inside adds up, are off by the rounding of Side steps, 6e-8 of radius + 2 each,
    // and a square root by that of the square, divided by the root.
    for (int i = 0; i < Width; ++i) {
      const float slack = side * 2e-6F * (radius_ + 2) * (1 + radius_ / near_sqrt(nearest[i]));
      unsure[i] = from_middle[i] < 0.5F - slack && place[i] + 1 > slack ? 0 : 1;
    }
  }

  float radius_, radius2_;
};

/// A circle about a place whose coordinates are Real.
template <int Side, class Real>
struct PlacedCircle {
  Real cx, cy;
  CircleOverlap<Side> overlap;

  SRCEXTRACT_HOST_DEVICE PlacedCircle(Real x, Real y, float radius) : cx(x), cy(y), overlap(radius) {}

  /// How far a column and a row are from its middle.
  SRCEXTRACT_HOST_DEVICE float across(std::int32_t x) const { return static_cast<float>(static_cast<Real>(x) - cx); }
  SRCEXTRACT_HOST_DEVICE float down(std::int32_t y) const { return static_cast<float>(static_cast<Real>(y) - cy); }
};

/// Width pixels of a row as a circle has them.
template <int Width>
struct CircleBlock {
  std::int32_t x, y;  ///< of the first
  int count;          ///< how many are in the box
  float dx[Width], dy;
  float part[Width];           ///< of each that is in the circle
  std::int32_t wanted[Width];  ///< 1: is any of it?
};

}  // namespace srcextract
