#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "stages/core/stage_record.hpp"
#include "stages/measure/ellipse.hpp"
#include "stages/measure/moments.hpp"
#include "stages/measure/row_column.hpp"
#include "stages/photometry/measured_source.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

/// The noise of a centroid, as sums over the source's pixels of w^2 e, w^2 e dx^2, w^2 e dy^2 and w^2 e dx dy. w is the
/// weight of a pixel in the centroid. e is either the variance from map or sky, or the photon variance.
struct PositionNoise {
  double pixels[4];   ///< sums where e is the variance from map or sky, in units of FluxCalibration::pixel
  double photons[4];  ///< sums where e is the photon variance for a gain of 1
  double flux;        ///< weighted flux; the variances are the sums divided by its square
  /// 1 if the source is thinner than a pixel (srcextract::is_thin()); errors then have a lower limit
  std::int32_t is_thin;
  std::int32_t flags;

  bool operator==(const PositionNoise&) const = default;

  /// Returns the variances of x and y and their covariance, in pixels^2.
  SecondMoments moments(const FluxCalibration& at) const {
    const auto sum = [&](int i) { return pixels[i] * at.pixel + (at.gain > 0 ? photons[i] / at.gain : 0); };
    const double square = flux * flux;
    SecondMoments m{sum(1) / square, sum(2) / square, sum(3) / square};
    constexpr double twelfth = 0.08333;
    const double least = twelfth * sum(0) / square;
    if (is_thin != 0 && m.x2 * m.y2 - m.xy * m.xy < least * least) {
      m.x2 += least;
      m.y2 += least;
    }
    return m;
  }
  Ellipse ellipse(const FluxCalibration& at) const { return ellipse_of(moments(at)); }
};

/// Returns the noise of the isophotal position of a source (SExtractor's ERRX2_IMAGE), where all pixels have weight 1.
/// Photon noise is computed from source.found. From `image` only the owners and variances of pixels are read.
template <class Lanes>
SRCEXTRACT_HOST_DEVICE PositionNoise isophotal_noise(const Lanes& lanes, const MeasuredSource& source,
                                                     const PhotometryImage& image) {
  const SourceSums& found = *source.found;
  const SourceOffset at = offset_of(source.shape, found);
  const Sums<4> sums = lanes.template sum<4>(own_box(found), [&](std::int32_t x, std::int32_t y) -> Sums<4> {
    const std::int64_t i = image.at(x, y);
    if (image.owner[i] != source.number) return {};
    const double variance = image.variance_at(i), dx = x - source.shape.x, dy = y - source.shape.y;
    return {{variance, variance * dx * dx, variance * dy * dy, variance * dx * dy}};
  });
  // Second moments of the light about the centroid, converted from sums relative to the source's first column and row.
  const double x2 = found.vxx - at.x * (2 * found.vx - at.x * found.v);
  const double y2 = found.vyy - at.y * (2 * found.vy - at.y * found.v);
  const double xy = found.vxy - at.x * found.vy - at.y * found.vx + at.x * at.y * found.v;
  return {{sums.of[0], sums.of[1], sums.of[2], sums.of[3]},
          {found.v, x2, y2, xy},
          found.v,
          srcextract::is_thin(moments_about(found, at)) ? 1 : 0,
          0};
}

/// SExtractor's ERRX2_IMAGE, ERRY2_IMAGE, ERRXY_IMAGE, and the ellipse with these moments.
struct PositionNoiseFamily {
  using Row = PositionNoise;
  static constexpr const char* name = "position noise";

  explicit PositionNoiseFamily(const Settings&) {}
  SRCEXTRACT_HOST_DEVICE int rows() const { return 1; }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE PositionNoise measure(const Lanes& lanes, const MeasuredSource& source,
                                               const PhotometryImage& image, int) const {
    return measure_in(lanes, source, image, image);
  }

  /// Measures the noise in `found_in`, because a source's position depends only on the detection image.
  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE PositionNoise measure_in(const Lanes& lanes, const MeasuredSource& source,
                                                  const PhotometryImage& found_in, const PhotometryImage&) const {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (source.shape.defined) return isophotal_noise(lanes, source, found_in);
    return {{nan, nan, nan, nan}, {nan, nan, nan, nan}, 1, 0, 0};
  }

  static constexpr RowColumn<PositionNoise> columns[] = {
      {"ERRX2_IMAGE", "pixel**2", x2_error_ucd, "Variance of X_IMAGE by noise", "shapes",
       [](const PositionNoise& row, const FluxCalibration& at) { return row.moments(at).x2; }},
      {"ERRY2_IMAGE", "pixel**2", y2_error_ucd, "Variance of Y_IMAGE by noise", "shapes",
       [](const PositionNoise& row, const FluxCalibration& at) { return row.moments(at).y2; }},
      {"ERRXY_IMAGE", "pixel**2", xy_error_ucd, "Their covariance by noise", "shapes",
       [](const PositionNoise& row, const FluxCalibration& at) { return row.moments(at).xy; }},
      {"ERRA_IMAGE", "pixel", "stat.error;phys.angSize.smajAxis;instr.det",
       "RMS error of the position along its major axis", "shapes",
       [](const PositionNoise& row, const FluxCalibration& at) { return row.ellipse(at).a; }},
      {"ERRB_IMAGE", "pixel", "stat.error;phys.angSize.sminAxis;instr.det",
       "RMS error of the position along its minor axis", "shapes",
       [](const PositionNoise& row, const FluxCalibration& at) { return row.ellipse(at).b; }},
      {"ERRTHETA_IMAGE", "deg", "stat.error;pos.posAng;instr.det", "Angle of that major axis, from x towards y",
       "shapes", [](const PositionNoise& row, const FluxCalibration& at) { return row.ellipse(at).theta; }},
      {"ERRCXX_IMAGE", "pixel**(-2)", "stat.error;src.morph.param;instr.det",
       "Of the ellipse CXX dx^2 + CYY dy^2 + CXY dx dy = 1 of these errors", "shapes",
       [](const PositionNoise& row, const FluxCalibration& at) { return form_of(row.moments(at)).cxx; }},
      {"ERRCYY_IMAGE", "pixel**(-2)", "stat.error;src.morph.param;instr.det", "Of that ellipse", "shapes",
       [](const PositionNoise& row, const FluxCalibration& at) { return form_of(row.moments(at)).cyy; }},
      {"ERRCXY_IMAGE", "pixel**(-2)", "stat.error;src.morph.param;instr.det", "Of that ellipse", "shapes",
       [](const PositionNoise& row, const FluxCalibration& at) { return form_of(row.moments(at)).cxy; }},
  };
};

inline void record_fields(const Buffer<PositionNoise, Cpu>& rows, FieldRecorder& to) {
  for (int i = 0; i < 4; ++i) {
    const auto add = [&](const std::string& what, const auto& get) {
      to.members(what + std::to_string(i), Element::source, rows, get);
    };
    add("noise of pixels ", [i](const PositionNoise& row) { return row.pixels[i]; });
    add("noise of photons ", [i](const PositionNoise& row) { return row.photons[i]; });
  }
}

}  // namespace srcextract
