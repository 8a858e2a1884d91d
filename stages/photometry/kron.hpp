#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "config/config.hpp"
#include "stages/catalogue/measured_columns.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/measure/flux_calibration.hpp"
#include "stages/photometry/ellipse_flux.hpp"

namespace srcextract {

/// FLUX_AUTO of a source.
struct KronFlux {
  double flux, variance;  ///< as of EllipseFlux; NaN of a source without a shape
  float radius;           ///< of the ellipse, in units of A_IMAGE; 0 where the flux is not above 0
  std::int32_t flags;

  bool operator==(const KronFlux&) const = default;
};

/// The light in an ellipse that follows the source's own light (Kron 1980, ApJS 43, 305), as SExtractor's FLUX_AUTO
/// (Bertin & Arnouts 1996, section 7): with Q = cxx dx^2 + cyy dy^2 + cxy dx dy and p the pixels of Q <= 36 that are
/// nobody else's, the first moment is r_1 = sum sqrt(Q) p / sum p, and the flux is that of Q <= k^2 with
/// k = max(factor r_1, minimum); k = minimum where one of the sums is not above 0.
struct KronFamily {
  using Row = KronFlux;
  static constexpr Family id = Family::kron;
  static constexpr const char* name = "kron";

  double factor, minimum;

  explicit KronFamily(const Config& config)
      : factor(config.measurement.kron.at(0)), minimum(config.measurement.kron.at(1)) {}
  SRCEXTRACT_HOST_DEVICE int rows() const { return 1; }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE KronFlux measure(const Lanes& lanes, const MeasuredSource& source,
                                          const PhotometryImage& image, int) const {
    return measure_in(lanes, source, image, image);
  }

  /// The flux in `image`, in the ellipse whose radius is that of the light of the one in which the source was found.
  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE KronFlux measure_in(const Lanes& lanes, const MeasuredSource& source,
                                             const PhotometryImage& found_in, const PhotometryImage& image) const {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (!source.shape.defined) return {nan, nan, 0, 0};
    KronFlux result{};
    result.radius = radius(lanes, source, found_in, result.flags);
    const EllipseFlux light = flux_in_ellipse(lanes, source, image, result.radius);
    result.flux = light.flux;
    result.variance = light.variance;
    result.flags |= light.flags;
    if (!(light.flux > 0)) result.radius = 0;
    return result;
  }

  /// Calls f(name, value) for each of the columns; value(row, calibration) is what stands in it.
  template <class F>
  static void for_each_value(F&& f) {
    const auto error = [](const KronFlux& row, const FluxCalibration& at) { return at.error(row.flux, row.variance); };
    f("FLUX_AUTO", [](const KronFlux& row, const FluxCalibration&) { return row.flux; });
    f("FLUXERR_AUTO", error);
    f("MAG_AUTO", [](const KronFlux& row, const FluxCalibration& at) { return at.magnitude(row.flux); });
    f("MAGERR_AUTO",
      [error](const KronFlux& row, const FluxCalibration& at) { return at.magnitude_error(row.flux, error(row, at)); });
    f("KRON_RADIUS", [](const KronFlux& row, const FluxCalibration&) { return static_cast<double>(row.radius); });
  }

 private:
  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE float radius(const Lanes& lanes, const MeasuredSource& source, const PhotometryImage& image,
                                      std::int32_t& flags) const {
    const SourceShape& shape = source.shape;
    const auto cx = static_cast<float>(shape.x), cy = static_cast<float>(shape.y);
    constexpr float reach = 6;
    const ApertureBox box = box_of_ellipse(shape, reach, image);
    const Sums<4> sums = lanes.template sum<4>(box, [&](std::int32_t x, std::int32_t y) -> Sums<4> {
      const float square = square_of_scale(shape, x, y);
      if (!(square <= reach * reach)) return {};
      const ApertureSample sample = image.sample(x, y, source.number, cx, cy);
      if (sample.masked) return {{0, 0, 1.0, 1.0}};
      const double distance = square > 0 ? std::sqrt(static_cast<double>(square)) : 0.0;
      return {{sample.value, distance * sample.value, 1.0, 0}};
    });
    const double light = sums.of[0], moment = sums.of[1];
    flags |= (box.cut ? flag::aperture_cut : 0) | (is_mostly_masked(sums.of[3], sums.of[2]) ? flag::crowded : 0);
    const double wanted = light > 0 && moment > 0 ? factor * moment / light : minimum;
    return static_cast<float>(wanted > minimum ? wanted : minimum);
  }
};

inline void record_fields(const Buffer<KronFlux, Cpu>& rows, FieldRecorder& to) {
  to.members("flux", Element::source, rows, &KronFlux::flux);
  to.members("variance", Element::source, rows, &KronFlux::variance);
  to.members("radius", Element::source, rows, &KronFlux::radius);
  to.members("flags", Element::source, rows, &KronFlux::flags);
}

}  // namespace srcextract
