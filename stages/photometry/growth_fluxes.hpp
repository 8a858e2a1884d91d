#pragma once

#include <cstdint>
#include <limits>

#include "stages/core/stage_record.hpp"
#include "stages/measure/row_column.hpp"
#include "stages/photometry/growth.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

struct GrowthFlux {
  double flux;  ///< light within the circle; NaN for a source without a shape, as is `step`
  double step;  ///< difference of the radii of two successive circles, in pixels
  std::int64_t flags;

  bool operator==(const GrowthFlux&) const = default;
};

/// SExtractor's FLUX_GROWTH: the curve of growth at measurement.growth_steps radii in equal steps. The last radius is
/// the end of the curve. Between its circles the curve is interpolated linearly.
struct GrowthFamily {
  using Row = GrowthFlux;
  static constexpr const char* name = "growth";
  static constexpr bool rows_are_together = true;

  double least_reach;  ///< least radius in pixels at which the curve of growth ends
  int count;

  explicit GrowthFamily(const Settings& config)
      : least_reach(config.measurement.least_apertures.at(0)),
        count(static_cast<int>(config.measurement.growth_steps)) {}
  SRCEXTRACT_HOST_DEVICE int rows() const { return count; }

  /// Calls keep(which, row) for every row of a source. All rows are computed from one curve of growth.
  template <class Lanes, class Keep>
  SRCEXTRACT_HOST_DEVICE void measure_rows(const Lanes& lanes, const MeasuredSource& source,
                                           const PhotometryImage& image, const Keep& keep) const {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (!source.shape.defined) {
      for (int which = 0; which < count; ++which) keep(which, GrowthFlux{nan, nan, 0});
      return;
    }
    const GrowthCurve curve = measure_growth(lanes, source, image, least_reach);
    const std::int64_t flags = curve.cut ? flag::aperture_cut : 0;
    std::int64_t inside = 0;
    for (int which = 0, ring = 0; which < count; ++which) {
      const int reached = GrowthCurve::circles * (which + 1), rings = reached / count, more = reached % count;
      for (; ring < rings; ++ring) inside += curve.rings[ring];
      const double beyond = more == 0 ? 0 : curve.unit.value(curve.rings[rings]) * more / count;
      keep(which, GrowthFlux{curve.unit.value(inside) + beyond, curve.reach / count, flags});
    }
  }

  static constexpr bool has_many_rows = true;
  static constexpr RowColumn<GrowthFlux> columns[] = {
      {"FLUX_GROWTH", pixel_sum_unit, flux_ucd, "Light in circles of equal steps of radius", "growth",
       [](const GrowthFlux& row, const FluxCalibration&) { return row.flux; }},
      {"MAG_GROWTH", "mag", magnitude_ucd, "Magnitude of FLUX_GROWTH; 99 if that is not above 0", "growth",
       [](const GrowthFlux& row, const FluxCalibration& at) { return at.magnitude(row.flux); }},
  };
};

inline void record_fields(const Buffer<GrowthFlux, Cpu>& rows, FieldRecorder& to) {
  to.members("flux", Element::source, rows, &GrowthFlux::flux);
  to.members("step", Element::source, rows, &GrowthFlux::step);
  to.members("flags", Element::source, rows, &GrowthFlux::flags);
}

}  // namespace srcextract
