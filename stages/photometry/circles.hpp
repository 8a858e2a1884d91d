#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "config/config.hpp"
#include "stages/catalogue/measured_columns.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/math/near_sqrt.hpp"
#include "stages/measure/flux_calibration.hpp"
#include "stages/photometry/exact_overlap.hpp"
#include "stages/photometry/measured_source.hpp"

namespace srcextract {

/// FLUX_APER of a source in one circle.
struct CircleFlux {
  double flux, variance;  ///< as of EllipseFlux
  std::int64_t flags;     ///< flag::aperture_cut; no bit of the row is undefined

  bool operator==(const CircleFlux&) const = default;
};

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

/// Where a circle about (0, 0) cuts the Side rows of sub-pixels of a row of pixels. A sub-pixel is inside or not, as
/// sub_pixels_inside has it, by how far from the middle it is, unless its centre is too near to where its row is cut
/// for the rounding of either.
template <int Side>
struct CircleChords {
  float half[Side];     ///< of each row's chord, in sub-pixels; 0 of a row beyond the circle
  float slack;          ///< what is no further apart, in sub-pixels, is not told apart
  float beside_middle;  ///< so far across a pixel has to be to have but one end of every chord

  /// In pixels at dy.
  SRCEXTRACT_HOST_DEVICE CircleChords(float dy, float radius) {
    constexpr float side = Side, step = 1 / side, first = 0.5F * (step - 1);
    const float radius2 = radius * radius;
    std::int32_t nearest = std::numeric_limits<std::int32_t>::max();  // a square, by its bits
    for (int j = 0; j < Side; ++j) {
      const float v = dy + first + static_cast<float>(j) * step, square = radius2 - v * v;
      half[j] = near_sqrt(square > 0 ? square : 0) * side;
      const auto bits = std::bit_cast<std::int32_t>(std::fabs(square));
      nearest = bits < nearest ? bits : nearest;
    }
    // Places, and those that sub_pixels_inside adds up, are off by the rounding of Side steps, 6e-8 of radius + 2 each,
    // and a square root by that of the square, divided by the root.
    slack = side * 2e-6F * (radius + 2) * (1 + radius / near_sqrt(std::bit_cast<float>(nearest)));
    const float furthest = std::fabs(dy) + 0.5F;
    beside_middle = furthest * furthest + 0.3F < radius2 ? 0 : 0.5F + slack;
  }

  /// How many sub-pixels of pixels so far `across` from the middle are inside, and of which pixels that is not sure.
  template <int Width>
  SRCEXTRACT_HOST_DEVICE void count(const float (&across)[Width], std::int32_t (&inside)[Width],
                                    std::int32_t (&unsure)[Width]) const {
    float from_middle[Width] = {};  // between two whole numbers
    count_below(across, 1, inside, from_middle);
    std::int32_t any_beside = 0;
    for (int i = 0; i < Width; ++i) any_beside |= across[i] < beside_middle ? 1 : 0;
    if (any_beside != 0) {  // those of them before both ends are the ones between
      std::int32_t mirrored[Width];
      count_below(across, -1, mirrored, from_middle);
      for (int i = 0; i < Width; ++i) inside[i] += across[i] < beside_middle ? mirrored[i] - Side * Side : 0;
    }
    for (int i = 0; i < Width; ++i) unsure[i] = from_middle[i] < 0.5F - slack ? 0 : 1;
  }

 private:
  /// How many are before the far end of their chord, of pixels that many times `sign` away.
  template <int Width>
  SRCEXTRACT_HOST_DEVICE void count_below(const float (&across)[Width], float sign, std::int32_t (&below)[Width],
                                          float (&from_middle)[Width]) const {
    constexpr float side = Side, half_side = 0.5F * side;
    float place[Width];  // of the first sub-pixel less 1
    for (int i = 0; i < Width; ++i) {
      place[i] = sign * across[i] * side - (half_side + 0.5F);
      below[i] = 0;
    }
    for (int j = 0; j < Side; ++j) {
      for (int i = 0; i < Width; ++i) {
        const float end = half[j] - place[i], above = end > 0.5F ? end : 0.5F;
        const float near = above < side + 0.5F ? above : side + 0.5F;
        const auto sub_pixels = static_cast<std::int32_t>(near);
        const float off = std::fabs(near - static_cast<float>(sub_pixels) - 0.5F);
        from_middle[i] = off > from_middle[i] ? off : from_middle[i];
        below[i] += sub_pixels;
      }
    }
  }
};

/// How much of the pixels that are `crossed` is inside, by the circle's chords; those of which that is not sure are
/// left to be crossed. Whether there are any.
template <int Side, int Width>
SRCEXTRACT_HOST_DEVICE bool parts_by_chords(const float (&dx)[Width], float dy, float radius,
                                            std::int32_t (&crossed)[Width], float (&part)[Width]) {
  constexpr float step = 1.0F / static_cast<float>(Side);
  float across[Width];
  std::int32_t inside[Width], unsure[Width], any_unsure = 0;
  for (int i = 0; i < Width; ++i) across[i] = fabsf(dx[i]);
  CircleChords<Side>(dy, radius).count(across, inside, unsure);
  for (int i = 0; i < Width; ++i) {
    const float counted = static_cast<float>(inside[i]) * (step * step);
    part[i] = crossed[i] != 0 ? counted : part[i];
    any_unsure |= crossed[i] &= unsure[i];
  }
  return any_unsure != 0;
}

/// How much of each of Width pixels is in the circle about (0, 0), as SExtractor has it: all of one well inside, of one
/// at the edge those of its Side x Side sub-pixels whose centres are, and none of one beyond the circle's reach; (dx,
/// dy) is a pixel's place. In float, offsets added up, as there. Only where the circle may pass between sub-pixels are
/// they counted: elsewhere all or none of them are inside, by more than the rounding of any of this.
template <int Side, int Width>
SRCEXTRACT_HOST_DEVICE void overlaps_with_circle(const float (&dx)[Width], float dy, float radius,
                                                 float (&part)[Width]) {
  constexpr float step = 1.0F / static_cast<float>(Side), first = 0.5F * (step - 1), rounding = 4e-6F;
  const float outer = radius + 0.75F, inner = radius - 0.75F > 0 ? radius - 0.75F : 0;
  const float outer2 = outer * outer, inner2 = inner * inner, radius2 = radius * radius;
  const float down = fabsf(dy), slack_down = rounding * (down + 1);
  const float near_y = down + first - slack_down > 0 ? down + first - slack_down : 0, far_y = down - first + slack_down;
  const float near_y2 = near_y * near_y, far_y2 = far_y * far_y,
              of_all = static_cast<float>(Side * Side) * (step * step);
  std::int32_t crossed[Width], any_crossed = 0;
  for (int i = 0; i < Width; ++i) {
    const float distance = dx[i] * dx[i] + dy * dy, across = fabsf(dx[i]), slack = rounding * (across + 1);
    const float near_x = across + first - slack > 0 ? across + first - slack : 0, far_x = across - first + slack;
    const bool none = !(distance < outer2) || near_x * near_x + near_y2 > radius2;
    const bool whole = distance <= inner2, all = far_x * far_x + far_y2 < radius2;
    part[i] = whole && distance < outer2 ? 1 : none ? 0 : all ? of_all : 0;
    crossed[i] = whole || none || all ? 0 : 1;
    any_crossed |= crossed[i];
  }
  if (any_crossed == 0) return;
  constexpr bool is_few = Width == 1 && Side <= 5;  // of which each is looked at as soon as chords are
  if constexpr (!is_few)
    if (!parts_by_chords<Side>(dx, dy, radius, crossed, part)) return;
  for (int i = 0; i < Width; ++i) {
    if (crossed[i] == 0) continue;
    part[i] = static_cast<float>(sub_pixels_inside<Side, Width>(dx[i] + first, dy + first, radius2)) * (step * step);
  }
}

/// The light in circles about a source (SExtractor's FLUX_APER): the sum of pixels times how much of them is inside, by
/// 5 x 5 sub-pixels at the edge, or by their area. No correction for what lies beyond the image.
struct CircleFamily {
  using Row = CircleFlux;
  static constexpr Family id = Family::circles;
  static constexpr const char* name = "circles";

  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

  float radius[most_apertures]{};
  int count = 0;
  bool is_exact;                          ///< pixels at the edge count by their area
  double exact_radius[most_apertures]{};  ///< then

  explicit CircleFamily(const Config& config) : is_exact(config.measurement.overlap == Overlap::exact) {
    for (const double diameter : config.measurement.apertures) {
      exact_radius[count] = diameter / 2;
      radius[count++] = static_cast<float>(diameter / 2);
    }
  }
  SRCEXTRACT_HOST_DEVICE int rows() const { return count; }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE CircleFlux measure(const Lanes& lanes, const MeasuredSource& source,
                                            const PhotometryImage& image, int which) const {
    return is_exact ? measure_by_area(lanes, source, image, which) : measure_by_sub_pixels(lanes, source, image, which);
  }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE CircleFlux measure_by_area(const Lanes& lanes, const MeasuredSource& source,
                                                    const PhotometryImage& image, int which) const {
    if (!source.shape.defined) return {nan, nan, 0};
    const ExactLight light = exact_light_in_circle(lanes, source, image, exact_radius[which]);
    return {light.light, light.variance, light.cut ? flag::aperture_cut : 0};
  }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE CircleFlux measure_by_sub_pixels(const Lanes& lanes, const MeasuredSource& source,
                                                          const PhotometryImage& image, int which) const {
    if (!source.shape.defined) return {nan, nan, 0};
    const auto cx = static_cast<float>(source.shape.x), cy = static_cast<float>(source.shape.y);
    const float r = radius[which];
    const ApertureBox box = box_of_circle(cx, cy, r, image);
    constexpr int width = Lanes::width;
    const auto add = [&](std::int32_t x, std::int32_t y, int size, BlockSums<2, width>& pixels) {
      float dx[width], weight[width];
      std::int32_t wanted[width];
      for (int i = 0; i < width; ++i) dx[i] = static_cast<float>(x + i) - cx;
      overlaps_with_circle<5>(dx, static_cast<float>(y) - cy, r, weight);
      for (int i = 0; i < width; ++i) wanted[i] = i < size && weight[i] > 0 ? 1 : 0;
      const ApertureSamples<width> sample = image.samples(x, y, size, source.number, cx, cy, wanted);
      for (int i = 0; i < width; ++i) {
        pixels.of[0][i] = wanted[i] != 0 ? weight[i] * sample.value[i] : 0;
        pixels.of[1][i] = wanted[i] != 0 ? weight[i] * sample.variance[i] : 0;
      }
    };
    const Sums<2> sums = lanes.template sum_of_blocks<2>(box, add);
    return {sums.of[0], sums.of[1], box.cut ? flag::aperture_cut : 0};
  }

  template <class F>
  static void for_each_value(F&& f) {
    const auto error = [](const CircleFlux& row, const FluxCalibration& at) {
      return at.error(row.flux, row.variance);
    };
    f("FLUX_APER", [](const CircleFlux& row, const FluxCalibration&) { return row.flux; });
    f("FLUXERR_APER", error);
    f("MAG_APER", [](const CircleFlux& row, const FluxCalibration& at) { return at.magnitude(row.flux); });
    f("MAGERR_APER", [error](const CircleFlux& row, const FluxCalibration& at) {
      return at.magnitude_error(row.flux, error(row, at));
    });
  }
};

inline void record_fields(const Buffer<CircleFlux, Cpu>& rows, FieldRecorder& to) {
  to.members("flux", Element::source, rows, &CircleFlux::flux);
  to.members("variance", Element::source, rows, &CircleFlux::variance);
  to.members("flags", Element::source, rows, &CircleFlux::flags);
}

}  // namespace srcextract
