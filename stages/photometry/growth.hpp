#pragma once

#include <cmath>
#include <cstdint>

#include "stages/math/near_sqrt.hpp"
#include "stages/photometry/growth_curve.hpp"
#include "stages/photometry/measured_source.hpp"

namespace srcextract {

/// The rings in which sub-pixels of Width pixels are.
template <int Width>
class SubPixelRings {
 public:
  SRCEXTRACT_HOST_DEVICE explicit SubPixelRings(double steps)
      : steps_(steps), float_steps_(static_cast<float>(steps)) {}

  /// The ring at the square of a distance, GrowthCurve::circles beyond the last.
  SRCEXTRACT_HOST_DEVICE std::int32_t at(double square) const {
    const double ring = (square > 0 ? std::sqrt(square) : 0.0) * steps_;
    return ring < GrowthCurve::circles ? static_cast<std::int32_t>(ring) : GrowthCurve::circles;
  }

  /// Those of a row of sub-pixels, at the squares u2 + v2. In float, which is not off by more than 64 times 5 of its
  /// roundings, 2e-5 of a ring; where one is no further from a circle, by at().
  template <int Side>
  SRCEXTRACT_HOST_DEVICE void of_row(const double (&u2)[Side][Width], const float (&float_u2)[Side][Width], double v2,
                                     std::int32_t (&ring)[Side][Width]) const {
    constexpr float unsure = 1.0F / 32768, beyond = GrowthCurve::circles + 0.5F;
    const auto float_v2 = static_cast<float>(v2);
    float from_middle[Width] = {};  // between two circles
    for (int k = 0; k < Side; ++k) {
      for (int i = 0; i < Width; ++i) {
        const float far = near_sqrt(float_u2[k][i] + float_v2) * float_steps_;
        const float near = far < beyond ? far : beyond;
        ring[k][i] = static_cast<std::int32_t>(near);
        const float off = fabsf(near - static_cast<float>(ring[k][i]) - 0.5F);
        from_middle[i] = off > from_middle[i] ? off : from_middle[i];
      }
    }
    std::int32_t any_unsure = 0;
    for (int i = 0; i < Width; ++i) any_unsure |= from_middle[i] < 0.5F - unsure ? 0 : 1;
    if (any_unsure == 0) return;
    for (int k = 0; k < Side; ++k)
      for (int i = 0; i < Width; ++i) ring[k][i] = at(u2[k][i] + v2);
  }

 private:
  double steps_;
  float float_steps_;
};

/// What the curve of a source is made from, with its geometry in double, as SExtractor has it.
struct GrowthPixels {
  static constexpr int side = 5;
  static constexpr double sub_pixel = 0.2, first = -0.4;

  const PhotometryImage& image;
  std::int32_t number;
  double cx, cy, reach;
  double limit, step, steps;  ///< of pixels that are looked at; of a circle from the next; circles a pixel

  SRCEXTRACT_HOST_DEVICE GrowthPixels(const MeasuredSource& source, const PhotometryImage& of)
      : image(of),
        number(source.number),
        cx(source.shape.x),
        cy(source.shape.y),
        reach(6 * static_cast<double>(source.shape.a)),
        limit(reach + 1.5),
        step(reach / GrowthCurve::circles),
        steps(GrowthCurve::circles / reach) {}

  /// Pixels of a block.
  template <int Width>
  struct Block {
    double square[Width];            ///< of their distance
    std::int32_t in_reach[Width];    ///< 1: within the limit
    std::int32_t any;                ///< is one
    ApertureSamples<Width> samples;  ///< of those that are
  };
  template <int Width>
  SRCEXTRACT_HOST_DEVICE Block<Width> block_at(std::int32_t x, std::int32_t y, int count) const {
    Block<Width> block;
    block.any = 0;
    for (int i = 0; i < Width; ++i) {
      block.square[i] = (x + i - cx) * (x + i - cx) + (y - cy) * (y - cy);
      block.in_reach[i] = (i < count ? 1 : 0) & (block.square[i] <= limit * limit ? 1 : 0);
      block.any |= block.in_reach[i];
    }
    if (block.any != 0) block.samples = image.samples(x, y, count, number, cx, cy, block.in_reach);
    return block;
  }

  /// The magnitudes of the light in reach, added up.
  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE double all_light(const Lanes& lanes, const ApertureBox& box) const {
    constexpr int width = Lanes::width;
    const auto add = [this](std::int32_t x, std::int32_t y, int count, BlockSums<1, width>& pixels) {
      const auto block = block_at<width>(x, y, count);
      for (int i = 0; i < width; ++i) pixels.of[0][i] = block.in_reach[i] != 0 ? std::fabs(block.samples.value[i]) : 0;
    };
    return lanes.template sum_of_blocks<1>(box, add).of[0];
  }

  /// Adds the light of a block to the rings in which it is: whole pixels, where no circle is near, and parts.
  template <int Width, class Bins>
  SRCEXTRACT_HOST_DEVICE void add_to_rings(std::int32_t x, std::int32_t y, int count, const FixedPoint& unit,
                                           Bins& bins) const {
    const auto block = block_at<Width>(x, y, count);
    if (block.any == 0) return;
    const SubPixelRings<Width> rings(steps);
    std::int32_t in_parts[Width], any_part = 0;
    for (int i = 0; i < Width; ++i) in_parts[i] = block.in_reach[i];
    if (step >= 2 * margin) add_whole(block, rings, unit, in_parts, bins);
    std::int64_t part[Width];
    for (int i = 0; i < Width; ++i) {
      part[i] = in_parts[i] != 0 ? unit.of(block.samples.value[i] / (side * side)) : 0;
      any_part |= in_parts[i];
    }
    if (any_part == 0) return;
    bins.begin(part);
    add_parts(x, y, rings, bins);
  }

 private:
  static constexpr double margin = 0.75;  ///< from the next circle, of a pixel that is in one ring as a whole

  /// Those that are, which are then not wanted in parts.
  template <int Width, class Bins>
  SRCEXTRACT_HOST_DEVICE void add_whole(const Block<Width>& block, const SubPixelRings<Width>& rings,
                                        const FixedPoint& unit, std::int32_t (&in_parts)[Width], Bins& bins) const {
    std::int64_t whole[Width];
    std::int32_t ring[1][Width];
    for (int i = 0; i < Width; ++i) {
      const double distance = block.square[i] > 0 ? std::sqrt(block.square[i]) : 0.0;
      const double beyond = distance - step * std::floor(distance * steps);
      const std::int32_t undivided = (beyond >= margin ? 1 : 0) & (beyond <= step - margin ? 1 : 0) & in_parts[i];
      whole[i] = undivided != 0 ? unit.of(block.samples.value[i]) : 0;
      in_parts[i] -= undivided;
      ring[0][i] = rings.at(block.square[i]);
    }
    bins.begin(whole);
    bins.add(ring);
  }

  template <int Width, class Bins>
  SRCEXTRACT_HOST_DEVICE void add_parts(std::int32_t x, std::int32_t y, const SubPixelRings<Width>& rings,
                                        Bins& bins) const {
    double u[Width], u2[side][Width], v = y - cy + first;
    float float_u2[side][Width];
    for (int i = 0; i < Width; ++i) u[i] = x + i - cx + first;
    for (int k = 0; k < side; ++k) {
      for (int i = 0; i < Width; ++i) {
        u2[k][i] = u[i] * u[i];
        float_u2[k][i] = static_cast<float>(u2[k][i]);
        u[i] += sub_pixel;
      }
    }
    if constexpr (Width > 1) {
      std::int32_t all[side][side][Width];
      for (int j = 0; j < side; ++j, v += sub_pixel) rings.of_row(u2, float_u2, v * v, all[j]);
      bins.add(all);
    } else {
      for (int j = 0; j < side; ++j, v += sub_pixel) {
        std::int32_t row[side][Width];
        rings.of_row(u2, float_u2, v * v, row);
        bins.add(row);
      }
    }
  }
};

/// The curve. `lanes` keep its rings until they gather others.
template <class Lanes>
SRCEXTRACT_HOST_DEVICE GrowthCurve measure_growth(const Lanes& lanes, const MeasuredSource& source,
                                                  const PhotometryImage& image) {
  const GrowthPixels pixels(source, image);
  const ApertureBox box = box_of_circle(pixels.cx, pixels.cy, pixels.limit, image);
  const FixedPoint unit = fixed_point_up_to(pixels.all_light(lanes, box));
  const std::int64_t* const rings = lanes.bins(box, [&](std::int32_t x, std::int32_t y, int count, auto& bins) {
    pixels.template add_to_rings<Lanes::width>(x, y, count, unit, bins);
  });
  return {rings, unit, pixels.reach, box.cut};
}

}  // namespace srcextract
