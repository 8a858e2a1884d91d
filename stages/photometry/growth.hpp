#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "stages/math/near_sqrt.hpp"
#include "stages/photometry/growth_curve.hpp"
#include "stages/photometry/measured_source.hpp"

namespace srcextract {

/// Counts up to Most events in each of 6 or 12 fields, for each of Width pixels. The counts are 5-bit fields of one or
/// two 32-bit words. Powers of two are made by float exponents, since some processors cannot shift the elements of a
/// vector by different amounts.
template <int Most, int Words, int Width>
class FieldCounts {
 public:
  static constexpr int bits = 5, half = 6, fields = Words * half;
  static_assert(Most < 1 << bits && bits * half < 32 && Words <= 2);

  void count(int i, std::int32_t field) {
    constexpr std::int32_t float_one = 127, float_digits = 23;
    const std::int32_t in_lower = Words == 1 || field < half ? -1 : 0;
    const std::int32_t power = bits * field - (bits * half & ~in_lower);
    const auto once = static_cast<std::int32_t>(std::bit_cast<float>((float_one + power) << float_digits));
    lower_[i] += once & in_lower;
    if constexpr (Words == 2) upper_[i] += once & ~in_lower;
  }
  std::int32_t times(int i, int field) const {
    const std::int32_t word = Words == 1 || field < half ? lower_[i] : upper_[i];
    return word >> (bits * (field < half ? field : field - half)) & ((1 << bits) - 1);
  }

 private:
  std::int32_t lower_[Width] = {}, upper_[Width] = {};
};

template <int Words, int Rows, int Times, int Width, class Bins>
void add_counted(const std::int32_t (&rings)[Rows][Times][Width], const std::int32_t (&first)[Width],
                 std::int32_t furthest, Bins& bins) {
  FieldCounts<Rows * Times, Words, Width> counts;
  for (int j = 0; j < Rows; ++j)
    for (int k = 0; k < Times; ++k)
      for (int i = 0; i < Width; ++i) counts.count(i, rings[j][k][i] - first[i]);
  for (int m = 0; m <= furthest; ++m) {
    std::int32_t at[Width], times[Width];
    for (int i = 0; i < Width; ++i) {
      at[i] = first[i] + m;
      times[i] = counts.times(i, m);
    }
    bins.add_times(at, times);
  }
}

/// Adds the light of each pixel's sub-pixels, set by bins.begin(), to their rings, on the host. If the rings of each
/// pixel are close together, first counts how often each ring occurs. Then adds the light to each ring once, multiplied
/// by the ring's count.
template <int Rows, int Times, int Width, class Bins>
void add_to_close_rings(const std::int32_t (&rings)[Rows][Times][Width], Bins& bins) {
  std::int32_t first[Width], last[Width], furthest = 0;
  for (int i = 0; i < Width; ++i) first[i] = last[i] = rings[0][0][i];
  for (int j = 0; j < Rows; ++j) {
    for (int k = 0; k < Times; ++k) {
      for (int i = 0; i < Width; ++i) {
        first[i] = rings[j][k][i] < first[i] ? rings[j][k][i] : first[i];
        last[i] = rings[j][k][i] > last[i] ? rings[j][k][i] : last[i];
      }
    }
  }
  for (int i = 0; i < Width; ++i) furthest = last[i] - first[i] > furthest ? last[i] - first[i] : furthest;
  if (furthest < FieldCounts<Rows * Times, 1, Width>::fields) return add_counted<1>(rings, first, furthest, bins);
  if (furthest < FieldCounts<Rows * Times, 2, Width>::fields) return add_counted<2>(rings, first, furthest, bins);
  for (int j = 0; j < Rows; ++j) bins.add(rings[j]);
}

/// Finds in which ring (the area between two successive circles of the curve of growth) each sub-pixel lies, for Width
/// pixels at a time. `steps` is the number of rings per pixel of radius.
template <int Width>
class SubPixelRings {
 public:
  SRCEXTRACT_HOST_DEVICE explicit SubPixelRings(double steps)
      : steps_(steps), float_steps_(static_cast<float>(steps)) {}

  /// Returns the number of the ring at a squared distance from the centre; GrowthCurve::circles if it is outside the
  /// last circle.
  SRCEXTRACT_HOST_DEVICE std::int32_t at(double square) const {
    const double ring = (square > 0 ? std::sqrt(square) : 0.0) * steps_;
    return ring < GrowthCurve::circles ? static_cast<std::int32_t>(ring) : GrowthCurve::circles;
  }

  /// Sets ring[k][i] for sub-pixel k of a row of pixel i, at squared distance u2 + v2. The computation is in float,
  /// with an error of at most 2e-5 of a ring's width. from_middle[i] is raised to the largest distance of a sub-pixel
  /// of pixel i from the middle of its ring, in widths of a ring.
  template <int Side>
  SRCEXTRACT_HOST_DEVICE void of_row(const float (&u2)[Side][Width], const double (&v2)[Width],
                                     std::int32_t (&ring)[Side][Width], float (&from_middle)[Width]) const {
    constexpr float beyond = GrowthCurve::circles + 0.5F;
    float float_v2[Width];
    for (int i = 0; i < Width; ++i) float_v2[i] = static_cast<float>(v2[i]);
    for (int k = 0; k < Side; ++k) {
      for (int i = 0; i < Width; ++i) {
        const float far = near_sqrt(u2[k][i] + float_v2[i]) * float_steps_;
        const float near = far < beyond ? far : beyond;
        ring[k][i] = static_cast<std::int32_t>(near);
        const float off = fabsf(near - static_cast<float>(ring[k][i]) - 0.5F);
        from_middle[i] = off > from_middle[i] ? off : from_middle[i];
      }
    }
  }

  /// Recomputes the rings of a pixel in double by at(), if one of its sub-pixels is so near to a circle that float
  /// cannot decide.
  template <int Side, int Rows>
  SRCEXTRACT_HOST_DEVICE void settle(const float (&from_middle)[Width], const double (&u2)[Side][Width],
                                     const double (&v2)[Rows][Width], std::int32_t (&ring)[Rows][Side][Width]) const {
    constexpr float sure = 0.5F - 1.0F / 32768;
    std::int32_t any_unsure = 0;
    for (int i = 0; i < Width; ++i) any_unsure |= from_middle[i] < sure ? 0 : 1;
    if (any_unsure == 0) return;
    for (int i = 0; i < Width; ++i) {
      if (from_middle[i] < sure) continue;
      for (int j = 0; j < Rows; ++j)
        for (int k = 0; k < Side; ++k) ring[j][k][i] = at(u2[k][i] + v2[j][i]);
    }
  }

 private:
  double steps_;
  float float_steps_;
};

/// Queue of pixels that will be divided into sub-pixels, with the light of one sub-pixel of each. The host gathers
/// pixels of several blocks, so that it can divide Width pixels at a time.
template <int Width>
struct DividedPixels {
  std::int32_t x[2 * Width], y[2 * Width];
  std::int64_t light[2 * Width];
  int count = 0;

  /// Appends a pixel if `wanted` is 1; does nothing if `wanted` is 0.
  SRCEXTRACT_HOST_DEVICE void append(std::int32_t at_x, std::int32_t at_y, std::int64_t of_sub_pixel, int wanted) {
    x[count] = at_x;
    y[count] = at_y;
    light[count] = of_sub_pixel;
    count += wanted;
  }
  SRCEXTRACT_HOST_DEVICE void drop() {
    for (int i = 0; i < Width; ++i) {
      x[i] = x[i + Width];
      y[i] = y[i + Width];
      light[i] = light[i + Width];
    }
    count -= Width;
  }
  /// Appends pixels without light until the queue has Width pixels.
  SRCEXTRACT_HOST_DEVICE void fill() {
    for (int i = count; i < Width; ++i) {
      x[i] = x[0];
      y[i] = y[0];
      light[i] = 0;
    }
    count = Width;
  }
};

/// The source and image of a curve of growth. Geometry is in double, as in SExtractor.
struct GrowthPixels {
  static constexpr int side = 5;
  static constexpr double sub_pixel = 0.2, first = -0.4;

  const PhotometryImage& image;
  std::int32_t number;
  double cx, cy, reach;
  double limit, step, steps;  ///< largest distance of pixels from the centre; distance between circles; 1 / step

  SRCEXTRACT_HOST_DEVICE GrowthPixels(const MeasuredSource& source, const PhotometryImage& of, double least)
      : image(of),
        number(source.number),
        cx(source.shape.x),
        cy(source.shape.y),
        reach(6 * static_cast<double>(source.shape.a) > least ? 6 * static_cast<double>(source.shape.a) : least),
        limit(reach + 1.5),
        step(reach / GrowthCurve::circles),
        steps(GrowthCurve::circles / reach) {}

  /// Whether all pixels are divided, because the circles are too close together for any pixel to be `margin` away from
  /// them.
  SRCEXTRACT_HOST_DEVICE bool divides_all() const { return step < 2 * margin; }

  template <int Width>
  struct Block {
    double square[Width];          ///< squared distance of each pixel from the source
    std::int32_t in_reach[Width];  ///< 1 if the distance is at most `limit`, else 0
    std::int32_t any = 0;          ///< 1 if any pixel is in reach
  };
  template <int Width>
  SRCEXTRACT_HOST_DEVICE Block<Width> block_at(std::int32_t x, std::int32_t y, int count) const {
    Block<Width> block;
    for (int i = 0; i < Width; ++i) {
      block.square[i] = (x + i - cx) * (x + i - cx) + (y - cy) * (y - cy);
      block.in_reach[i] = (i < count ? 1 : 0) & (block.square[i] <= limit * limit ? 1 : 0);
      block.any |= block.in_reach[i];
    }
    return block;
  }
  template <int Width>
  SRCEXTRACT_HOST_DEVICE ApertureSamples<Width> light_of(const Block<Width>& block, std::int32_t x, std::int32_t y,
                                                         int count) const {
    return image.samples(x, y, count, number, cx, cy, block.in_reach);
  }

  /// Sums the absolute values of the pixels in reach.
  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE double all_light(const Lanes& lanes, const ApertureBox& box) const {
    constexpr int width = Lanes::width;
    const auto add = [this](std::int32_t x, std::int32_t y, int count, BlockSums<1, width>& pixels) {
      const auto block = block_at<width>(x, y, count);
      for (int i = 0; i < width; ++i) pixels.of[0][i] = 0;
      if (block.any == 0) return;
      const auto light = light_of(block, x, y, count);
      for (int i = 0; i < width; ++i) pixels.of[0][i] = block.in_reach[i] != 0 ? std::fabs(light.value[i]) : 0;
    };
    return lanes.template sum_of_blocks<1>(box, add).of[0];
  }

  /// Adds the light of a block of pixels to the rings (bins). A pixel at least `margin` away from every circle is added
  /// as a whole. Other pixels are divided into sub-pixels; up to Width of them may stay in the queue `divided`.
  template <int Width, class Bins>
  SRCEXTRACT_HOST_DEVICE void add_to_rings(std::int32_t x, std::int32_t y, int count, const FixedPoint& unit,
                                           DividedPixels<Width>& divided, Bins& bins) const {
    const auto block = block_at<Width>(x, y, count);
    if (block.any == 0) return;
    const auto light = light_of(block, x, y, count);
    const SubPixelRings<Width> rings(steps);
    std::int32_t in_parts[Width];
    for (int i = 0; i < Width; ++i) in_parts[i] = block.in_reach[i];
    if (!divides_all()) add_whole(block, light, rings, unit, in_parts, bins);
    std::int64_t part[Width];
    for (int i = 0; i < Width; ++i) part[i] = in_parts[i] != 0 ? unit.of(light.value[i] / (side * side)) : 0;
    if constexpr (Width == 1) {
      if (in_parts[0] != 0) add_parts(DividedPixels<1>{{x}, {y}, {part[0]}}, bins);
    } else {
      for (int i = 0; i < Width; ++i) divided.append(x + i, y, part[i], in_parts[i]);
      if (divided.count < Width) return;
      add_parts(divided, bins);
      divided.drop();
    }
  }

  /// Adds the pixels that are left in the queue `divided`.
  template <int Width, class Bins>
  SRCEXTRACT_HOST_DEVICE void add_rest(DividedPixels<Width>& divided, Bins& bins) const {
    if (divided.count == 0) return;
    divided.fill();
    add_parts(divided, bins);
  }

  /// Adds the light of Width pixels to the rings of their sub-pixels. The caller has set the light of one sub-pixel by
  /// bins.begin(). The first sub-pixel of each pixel has its centre at (u, v) from the source.
  template <int Width, class Bins>
  SRCEXTRACT_HOST_DEVICE void add_sub_pixels(double (&u)[Width], double (&v)[Width], Bins& bins) const {
    constexpr int rows = Width > 1 ? side : 1;  // a GPU thread has too few registers for all rows
    const SubPixelRings<Width> rings(steps);
    double u2[side][Width], v2[rows][Width];
    float float_u2[side][Width], from_middle[Width] = {};
    for (int k = 0; k < side; ++k) {
      for (int i = 0; i < Width; ++i) {
        u2[k][i] = u[i] * u[i];
        float_u2[k][i] = static_cast<float>(u2[k][i]);
        u[i] += sub_pixel;
      }
    }
    std::int32_t all[rows][side][Width];
    for (int j = 0; j < side; ++j) {
      const int row = Width > 1 ? j : 0;
      for (int i = 0; i < Width; ++i) {
        v2[row][i] = v[i] * v[i];
        v[i] += sub_pixel;
      }
      rings.of_row(float_u2, v2[row], all[row], from_middle);
      if constexpr (Width == 1) {
        rings.settle(from_middle, u2, v2, all);
        from_middle[0] = 0;
        bins.add(all[0]);
      }
    }
    if constexpr (Width > 1) {
      rings.settle(from_middle, u2, v2, all);
      add_to_close_rings(all, bins);
    }
  }

 private:
  static constexpr double margin = 0.75;  ///< distance in pixels from every circle at which a pixel is added as a whole

  /// Adds the pixels that lie in a single ring, and sets their elements of `in_parts` to 0.
  template <int Width, class Bins>
  SRCEXTRACT_HOST_DEVICE void add_whole(const Block<Width>& block, const ApertureSamples<Width>& light,
                                        const SubPixelRings<Width>& rings, const FixedPoint& unit,
                                        std::int32_t (&in_parts)[Width], Bins& bins) const {
    std::int64_t whole[Width];
    std::int32_t ring[1][Width];
    for (int i = 0; i < Width; ++i) {
      const double distance = block.square[i] > 0 ? std::sqrt(block.square[i]) : 0.0;
      const double beyond = distance - step * std::floor(distance * steps);
      const std::int32_t undivided = (beyond >= margin ? 1 : 0) & (beyond <= step - margin ? 1 : 0) & in_parts[i];
      whole[i] = undivided != 0 ? unit.of(light.value[i]) : 0;
      in_parts[i] -= undivided;
      ring[0][i] = rings.at(block.square[i]);
    }
    bins.begin(whole);
    bins.add(ring);
  }

  /// Divides the first Width pixels of the queue, and adds each sub-pixel to its ring.
  template <int Width, class Bins>
  SRCEXTRACT_HOST_DEVICE void add_parts(const DividedPixels<Width>& divided, Bins& bins) const {
    std::int64_t light[Width];
    double u[Width], v[Width];
    for (int i = 0; i < Width; ++i) {
      light[i] = divided.light[i];
      u[i] = divided.x[i] - cx + first;
      v[i] = divided.y[i] - cy + first;
    }
    bins.begin(light);
    add_sub_pixels(u, v, bins);
  }
};

/// A list, on the host, of the pixels of a curve of growth if all pixels are divided. The image is then read only once.
template <int Width>
class ListedPixels {
 public:
  /// Lists the pixels of a box that are in reach, in scratch memory of `lanes`, and sums their absolute values.
  template <class Lanes>
  ListedPixels(const Lanes& lanes, const GrowthPixels& pixels, const ApertureBox& box)
      : u_(lanes.scratch(3 * room_for(box))), v_(u_ + room_for(box)), value_(v_ + room_for(box)) {
    const auto add = [&](std::int32_t x, std::int32_t y, int count, BlockSums<1, Width>& sums) {
      const auto block = pixels.block_at<Width>(x, y, count);
      for (int i = 0; i < Width; ++i) sums.of[0][i] = 0;
      if (block.any == 0) return;
      const auto light = pixels.light_of(block, x, y, count);
      for (int i = 0; i < Width; ++i) sums.of[0][i] = block.in_reach[i] != 0 ? std::fabs(light.value[i]) : 0;
      for (int i = 0; i < Width; ++i) {
        u_[count_] = x + i;
        v_[count_] = y;
        value_[count_] = light.value[i];
        count_ += block.in_reach[i];
      }
    };
    all_light_ = lanes.template sum_of_blocks<1>(box, add).of[0];
    for (int i = 0; i < Width; ++i) u_[count_ + i] = v_[count_ + i] = value_[count_ + i] = 0;
  }

  double all_light() const { return all_light_; }

  template <class Bins>
  void add_to_rings(const GrowthPixels& pixels, const FixedPoint& unit, Bins& bins) const {
    for (int at = 0; at < count_; at += Width) {
      std::int64_t light[Width];
      double u[Width], v[Width];
      for (int i = 0; i < Width; ++i) {
        light[i] = unit.of(value_[at + i] / (GrowthPixels::side * GrowthPixels::side));
        u[i] = u_[at + i] - pixels.cx + GrowthPixels::first;
        v[i] = v_[at + i] - pixels.cy + GrowthPixels::first;
      }
      bins.begin(light);
      pixels.add_sub_pixels(u, v, bins);
    }
  }

 private:
  /// Number of elements for the pixels of a box, plus one block that may be read or written past them.
  static int room_for(const ApertureBox& box) { return (box.x_end - box.x_begin) * (box.y_end - box.y_begin) + Width; }

  double *u_, *v_, *value_;
  double all_light_ = 0;
  int count_ = 0;
};

/// Measures the curve of growth of a source, out to a radius of at least `least` pixels. GrowthCurve::rings is valid
/// until `lanes` compute another histogram.
template <class Lanes>
SRCEXTRACT_HOST_DEVICE GrowthCurve measure_growth(const Lanes& lanes, const MeasuredSource& source,
                                                  const PhotometryImage& image, double least) {
  const GrowthPixels pixels(source, image, least);
  const ApertureBox box = box_of_circle(pixels.cx, pixels.cy, pixels.limit, image);
  if constexpr (Lanes::width > 1) {
    if (pixels.divides_all()) {
      const ListedPixels<Lanes::width> listed(lanes, pixels, box);
      const FixedPoint unit = fixed_point_up_to(listed.all_light());
      return {lanes.fill_bins([&](auto& bins) { listed.add_to_rings(pixels, unit, bins); }), unit, pixels.reach,
              box.cut};
    }
  }
  const FixedPoint unit = fixed_point_up_to(pixels.all_light(lanes, box));
  DividedPixels<Lanes::width> divided;
  const std::int64_t* const rings = lanes.bins(box, [&](std::int32_t x, std::int32_t y, int count, auto& bins) {
    pixels.add_to_rings(x, y, count, unit, divided, bins);
    if (x + count == box.x_end && y + 1 == box.y_end) pixels.add_rest(divided, bins);
  });
  return {rings, unit, pixels.reach, box.cut};
}

class HostLanes;
/// measure_growth() on the host: compiled once, although several families call it.
GrowthCurve measure_growth(const HostLanes& lanes, const MeasuredSource& source, const PhotometryImage& image,
                           double least);

}  // namespace srcextract
