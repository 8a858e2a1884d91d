#pragma once

#include <cstdint>
#include <limits>

#include "config/config.hpp"
#include "stages/catalogue/measured_columns.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/measure/flux_calibration.hpp"
#include "stages/photometry/measured_source.hpp"

namespace srcextract {

/// FLUX_APER of a source in one circle.
struct CircleFlux {
  double flux, variance;  ///< as of EllipseFlux
  std::int64_t flags;     ///< flag::aperture_cut; no bit of the row is undefined

  bool operator==(const CircleFlux&) const = default;
};

/// How much of a pixel is in the circle about (0, 0), as SExtractor has it: all of one well inside, and of one at the
/// edge those of its side x side sub-pixels whose centres are; `dx`, `dy` is the pixel's place. Negative beyond the
/// circle's reach. In float, offsets added up, as there.
SRCEXTRACT_HOST_DEVICE inline float overlap_with_circle(float dx, float dy, float radius, int side) {
  const float outer = radius + 0.75F, inner = radius - 0.75F > 0 ? radius - 0.75F : 0;
  const float distance = dx * dx + dy * dy;
  if (!(distance < outer * outer)) return -1;
  if (distance <= inner * inner) return 1;
  const float step = 1.0F / static_cast<float>(side), first = 0.5F * (step - 1);
  int inside = 0;
  float v = dy + first;
  for (int j = 0; j < side; ++j, v += step) {
    float u = dx + first;
    for (int i = 0; i < side; ++i, u += step) inside += u * u + v * v < radius * radius ? 1 : 0;
  }
  return static_cast<float>(inside) * (step * step);
}

/// The light in circles about a source (SExtractor's FLUX_APER): the sum of pixels times how much of them is inside, by
/// 5 x 5 sub-pixels at the edge. No correction for what lies beyond the image.
struct CircleFamily {
  using Row = CircleFlux;
  static constexpr Family id = Family::circles;
  static constexpr const char* name = "circles";

  float radius[most_apertures]{};
  int count = 0;

  explicit CircleFamily(const Config& config) {
    for (const double diameter : config.measurement.apertures) radius[count++] = static_cast<float>(diameter / 2);
  }
  SRCEXTRACT_HOST_DEVICE int rows() const { return count; }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE CircleFlux measure(const Lanes& lanes, const MeasuredSource& source,
                                            const PhotometryImage& image, int which) const {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (!source.shape.defined) return {nan, nan, 0};
    const auto cx = static_cast<float>(source.shape.x), cy = static_cast<float>(source.shape.y);
    const float r = radius[which];
    const ApertureBox box = box_of_circle(cx, cy, r, image);
    const Sums<2> sums = lanes.template sum<2>(box, [&](std::int32_t x, std::int32_t y) -> Sums<2> {
      const float weight = overlap_with_circle(static_cast<float>(x) - cx, static_cast<float>(y) - cy, r, 5);
      if (!(weight > 0)) return {};
      const ApertureSample sample = image.sample(x, y, source.number, cx, cy);
      return {{weight * sample.value, weight * sample.variance}};
    });
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
