#pragma once

#include <cstdint>
#include <limits>

#include "stages/core/stage_record.hpp"
#include "stages/measure/row_column.hpp"
#include "stages/photometry/growth.hpp"
#include "stages/photometry/kron.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

struct LightRadius {
  /// radius in pixels of the circle with the given fraction of FLUX_AUTO; NaN for a source without a shape
  double radius;
  /// radius of the circle with half of FLUX_AUTO, the same in all rows of a source, for WindowFamily
  double half_light;
  std::int64_t flags;

  bool operator==(const LightRadius&) const = default;
};

/// SExtractor's FLUX_RADIUS: radii of the circles that contain given fractions of FLUX_AUTO, from the curve of growth.
struct LightRadiusFamily {
  using Row = LightRadius;
  static constexpr const char* name = "light radii";
  using uses = FamilyList<KronFamily>;
  static constexpr bool rows_are_together = true;

  double fraction[most_fractions]{};
  double least_reach;  ///< least radius in pixels at which the curve of growth ends
  int count = 0;

  explicit LightRadiusFamily(const Settings& config) : least_reach(config.measurement.least_apertures.at(0)) {
    for (const double one : config.measurement.flux_radius) fraction[count++] = one;
  }
  SRCEXTRACT_HOST_DEVICE int rows() const { return count; }

  /// Calls keep(which, row) for every row of a source. All rows are computed from one curve of growth.
  template <class Lanes, class Keep>
  SRCEXTRACT_HOST_DEVICE void measure_rows(const Lanes& lanes, const SourceWith<uses>& source,
                                           const PhotometryImage& image, const Keep& keep) const {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (!source.shape.defined) {
      for (int which = 0; which < count; ++which) keep(which, LightRadius{nan, nan, 0});
      return;
    }
    const GrowthCurve curve = measure_growth(lanes, source, image, least_reach);
    const double flux = source.of<KronFamily>().flux, half_light = curve.half_light(flux);
    const std::int64_t flags = curve.cut ? flag::aperture_cut : 0;
    for (int which = 0; which < count; ++which)
      keep(which, LightRadius{curve.radius_of(fraction[which] * flux), half_light, flags});
  }

  static constexpr bool has_many_rows = true;
  static constexpr RowColumn<LightRadius> columns[] = {
      {"FLUX_RADIUS", "pixel", "phys.angSize;instr.det", "Half-light radius, or that of another part of FLUX_AUTO",
       "profile", [](const LightRadius& row, const FluxCalibration&) { return row.radius; }},
  };
};

inline void record_fields(const Buffer<LightRadius, Cpu>& rows, FieldRecorder& to) {
  to.members("radius", Element::source, rows, &LightRadius::radius);
  to.members("radius of half the light", Element::source, rows, &LightRadius::half_light);
  to.members("flags", Element::source, rows, &LightRadius::flags);
}

}  // namespace srcextract
