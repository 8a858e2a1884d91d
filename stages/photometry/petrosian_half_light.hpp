#pragma once

#include <cstdint>
#include <limits>

#include "stages/core/stage_record.hpp"
#include "stages/measure/row_column.hpp"
#include "stages/photometry/growth.hpp"
#include "stages/photometry/petrosian.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

struct PetrosianHalfLight {
  double radius;  ///< in pixels; NaN for a source without a shape, or whose FLUX_PETRO is not above 0
  std::int64_t flags;

  bool operator==(const PetrosianHalfLight&) const = default;
};

/// PETRO_R50: the radius of the circle that contains half of FLUX_PETRO, as the petroR50 of SDSS (Blanton et al. 2001,
/// AJ 121, 2358). It is read from the same curve of growth as FLUX_RADIUS.
struct PetrosianHalfLightFamily {
  using Row = PetrosianHalfLight;
  using uses = FamilyList<PetrosianFamily>;
  static constexpr const char* name = "petrosian half-light radius";
  static constexpr RowColumn<PetrosianHalfLight> columns[] = {
      {"PETRO_R50", "pixel", "phys.angSize;instr.det", "Radius of the circle with half of FLUX_PETRO", "petrosian",
       [](const PetrosianHalfLight& row, const FluxCalibration&) { return row.radius; }},
  };

  double least_reach;  ///< least radius in pixels at which the curve of growth ends

  explicit PetrosianHalfLightFamily(const Settings& config) : least_reach(config.measurement.least_apertures.at(0)) {}
  SRCEXTRACT_HOST_DEVICE int rows() const { return 1; }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE PetrosianHalfLight measure(const Lanes& lanes, const SourceWith<uses>& source,
                                                    const PhotometryImage& image, int) const {
    const double flux = source.of<PetrosianFamily>().flux;
    if (!source.shape.defined || !(flux > 0)) return {std::numeric_limits<double>::quiet_NaN(), 0};
    const GrowthCurve curve = measure_growth(lanes, source, image, least_reach);
    return {curve.radius_of(flux / 2), curve.cut ? flag::aperture_cut : 0};
  }
};

inline void record_fields(const Buffer<PetrosianHalfLight, Cpu>& rows, FieldRecorder& to) {
  to.members("radius", Element::source, rows, &PetrosianHalfLight::radius);
  to.members("flags", Element::source, rows, &PetrosianHalfLight::flags);
}

}  // namespace srcextract
