#pragma once

#include <cstdint>
#include <limits>

#include "config/config.hpp"
#include "stages/catalogue/measured_columns.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/measure/flux_calibration.hpp"
#include "stages/photometry/ellipse_flux.hpp"

namespace srcextract {

/// FLUX_PETRO of a source.
struct PetrosianFlux {
  double flux, variance;  ///< as of EllipseFlux; NaN of a source without a shape
  float radius;           ///< of the ellipse, in units of A_IMAGE; 0 where the flux is not above 0
  std::int32_t flags;

  bool operator==(const PetrosianFlux&) const = default;
};

/// The light in an ellipse out to where the source has faded (Petrosian 1976, ApJ 209, L1), as SExtractor's FLUX_PETRO:
/// of k = 0.3, 0.6 ... the first at which the mean of the pixels of k^2 <= Q <= (1.2 k)^2 that are nobody else's is
/// less than a fifth of the mean of those of Q < (1.1 k)^2, with Q = cxx dx^2 + cyy dy^2 + cxy dx dy; the last below 5
/// where none is. The flux is that of Q <= R^2 with R = max(factor 1.1 k, minimum).
struct PetrosianFamily {
  using Row = PetrosianFlux;
  static constexpr Family id = Family::petrosian;
  static constexpr const char* name = "petrosian";

  double factor, minimum;

  explicit PetrosianFamily(const Config& config)
      : factor(config.measurement.petrosian.at(0)), minimum(config.measurement.petrosian.at(1)) {}
  SRCEXTRACT_HOST_DEVICE int rows() const { return 1; }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE PetrosianFlux measure(const Lanes& lanes, const MeasuredSource& source,
                                               const PhotometryImage& image, int) const {
    return measure_in(lanes, source, image, image);
  }

  /// The flux in `image`, in the ellipse whose radius is that of the light of the one in which the source was found.
  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE PetrosianFlux measure_in(const Lanes& lanes, const MeasuredSource& source,
                                                  const PhotometryImage& found_in, const PhotometryImage& image) const {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (!source.shape.defined) return {nan, nan, 0, 0};
    PetrosianFlux result{};
    result.radius = radius(lanes, source, found_in, result.flags);
    const EllipseFlux light = flux_in_ellipse(lanes, source, image, result.radius);
    result.flux = light.flux;
    result.variance = light.variance;
    result.flags |= light.flags;
    if (!(light.flux > 0)) result.radius = 0;
    return result;
  }

  template <class F>
  static void for_each_value(F&& f) {
    const auto error = [](const PetrosianFlux& row, const FluxCalibration& at) {
      return at.error(row.flux, row.variance);
    };
    f("FLUX_PETRO", [](const PetrosianFlux& row, const FluxCalibration&) { return row.flux; });
    f("FLUXERR_PETRO", error);
    f("MAG_PETRO", [](const PetrosianFlux& row, const FluxCalibration& at) { return at.magnitude(row.flux); });
    f("MAGERR_PETRO", [error](const PetrosianFlux& row, const FluxCalibration& at) {
      return at.magnitude_error(row.flux, error(row, at));
    });
    f("PETRO_RADIUS", [](const PetrosianFlux& row, const FluxCalibration&) { return static_cast<double>(row.radius); });
  }

 private:
  static constexpr float step = 0.3F, annulus = 1.2F, core = 1.1F, reach = 6;

  /// What is within 1.2 times a scale.
  struct Rings {
    double annulus, annulus_area, within, within_area, area, masked;

    /// Thin annuli near the centre have no pixel.
    SRCEXTRACT_HOST_DEVICE bool fade() const {
      return annulus_area > 0 && within_area > 0 && annulus / annulus_area < 0.2 * within / within_area;
    }
  };

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE Rings rings_at(const Lanes& lanes, const MeasuredSource& source, const PhotometryImage& image,
                                        float scale) const {
    const SourceShape& shape = source.shape;
    const auto cx = static_cast<float>(shape.x), cy = static_cast<float>(shape.y);
    const float inner = scale * scale, outer = annulus * scale * (annulus * scale);
    const float middle = core * scale * (core * scale);
    // A hundredth more than the ellipse, so that the rounding of the box leaves out none of its pixels.
    const ApertureBox box = box_of_ellipse(shape, 1.01F * annulus * scale, image);
    const Sums<6> sums = lanes.template sum<6>(box, [&](std::int32_t x, std::int32_t y) -> Sums<6> {
      const float square = square_of_scale(shape, x, y);
      if (!(square <= outer)) return {};
      const ApertureSample sample = image.sample(x, y, source.number, cx, cy);
      if (sample.masked) return {{0, 0, 0, 0, 1, 1}};
      const double beyond = square >= inner ? 1 : 0, inside = square < middle ? 1 : 0;
      return {{beyond * sample.value, beyond, inside * sample.value, inside, 1, 0}};
    });
    return {sums.of[0], sums.of[1], sums.of[2], sums.of[3], sums.of[4], sums.of[5]};
  }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE float radius(const Lanes& lanes, const MeasuredSource& source, const PhotometryImage& image,
                                      std::int32_t& flags) const {
    float scale = step;
    Rings rings{};
    for (float next = step; next * annulus < reach; next += step) {
      scale = next;
      rings = rings_at(lanes, source, image, scale);
      if (rings.fade()) break;
    }
    if (box_of_ellipse(source.shape, reach, image).cut) flags |= flag::aperture_cut;
    if (is_mostly_masked(rings.masked, rings.area)) flags |= flag::crowded;
    const auto wanted = static_cast<float>(factor * 1.1 * scale), least = static_cast<float>(minimum);
    return wanted > least ? wanted : least;
  }
};

inline void record_fields(const Buffer<PetrosianFlux, Cpu>& rows, FieldRecorder& to) {
  to.members("flux", Element::source, rows, &PetrosianFlux::flux);
  to.members("variance", Element::source, rows, &PetrosianFlux::variance);
  to.members("radius", Element::source, rows, &PetrosianFlux::radius);
  to.members("flags", Element::source, rows, &PetrosianFlux::flags);
}

}  // namespace srcextract
