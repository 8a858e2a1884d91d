#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "stages/core/stage_record.hpp"
#include "stages/measure/row_column.hpp"
#include "stages/photometry/measured_source.hpp"
#include "stages/photometry/photometry_image.hpp"
#include "stages/photometry/star_fit.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

/// Flux of a star at the position of a change, measured in each of the two input images (new and reference) of a
/// difference.
struct FramesLight {
  double fresh, reference;                ///< fluxes in the new and the reference image, in counts of the new image
  double fresh_pixels, reference_pixels;  ///< variances of the fluxes in units of FluxCalibration::pixel
  std::int32_t good;                      ///< number of pixels that are not masked
  std::int32_t flags;                     ///< always 0

  bool operator==(const FramesLight&) const = default;
};

/// Measures a star's flux at XPSF_IMAGE, YPSF_IMAGE in both input images of a difference, with StarFamily's filter f
/// and shape p. FLUX_REF is sum(f r) / sum(f p), where r is the reference image as it was subtracted. FLUX_NEW is
/// FLUX_REF + FLUX_PSF * SIGN. Both fluxes are above a sky mesh that was estimated in r. Each error contains the noise
/// of its own image, and the error of the shape (StarView::scale_error). Light of neighbours is included.
struct StarFramesFamily {
  using Row = FramesLight;
  static constexpr const char* name = "star in both frames";
  using uses = FamilyList<StarFamily>;
  static bool is_known(const Settings& config) { return config.resources.has_star_profile; }
  static constexpr RowColumn<FramesLight> columns[] = {
      {"FLUX_NEW", pixel_sum_unit, flux_ucd, "Flux of a star in the new frame, where the change is", "frames",
       [](const FramesLight& row, const FluxCalibration&) { return row.fresh; }},
      {"FLUXERR_NEW", pixel_sum_unit, flux_error_ucd,
       "RMS error of FLUX_NEW by that frame's noise and the star's shape", "frames",
       [](const FramesLight& row, const FluxCalibration& at) { return std::sqrt(row.fresh_pixels * at.pixel); }},
      {"FLUX_REF", pixel_sum_unit, flux_ucd, "Flux of a star in the matched reference, where the change is", "frames",
       [](const FramesLight& row, const FluxCalibration&) { return row.reference; }},
      {"FLUXERR_REF", pixel_sum_unit, flux_error_ucd,
       "RMS error of FLUX_REF by that frame's noise and the star's shape", "frames",
       [](const FramesLight& row, const FluxCalibration& at) { return std::sqrt(row.reference_pixels * at.pixel); }},
  };

  explicit StarFramesFamily(const Settings&) {}
  SRCEXTRACT_HOST_DEVICE int rows() const { return 1; }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE FramesLight measure(const Lanes& lanes, const SourceWith<uses>& source,
                                             const PhotometryImage& image, int) const {
    const StarView& view = image.star;
    const StarLight& star = source.of<StarFamily>();
    if (view.reference == nullptr || !(star.flux == star.flux)) return unknown();
    const Placement place(star.x, star.y);
    const FieldTerms terms = view.at(std::floor(star.x + 0.5), std::floor(star.y + 0.5));
    const auto left = static_cast<double>(place.x), top = static_cast<double>(place.y);
    const double reach = view.filter.half + 1;
    const ApertureBox box =
        box_within(left - reach, left + reach + 1, top - reach, top + reach + 1, image.width, image.height);
    enum { light, shape, of_new, of_reference, count, sums };
    const Sums<sums> s = lanes.template sum<sums>(box, [&](std::int32_t x, std::int32_t y) -> Sums<sums> {
      Sums<sums> all{};
      const std::int64_t i = image.at(x, y);
      if (image.is_bad(i) || !is_finite(view.reference[i])) return all;
      const double f = place.value(view.filter, x, y, terms), p = place.value(view.light, x, y, terms);
      all.of[light] = f * static_cast<double>(view.reference[i]);
      all.of[shape] = f * p;
      all.of[of_new] = f * f * static_cast<double>(view.noise_of_new[i]);
      all.of[of_reference] = f * f * static_cast<double>(view.noise_of_reference[i]);
      all.of[count] = 1;
      return all;
    });
    if (!(s.of[shape] > 0)) return unknown();
    const double square = s.of[shape] * s.of[shape], reference = s.of[light] / s.of[shape];
    const double fresh = reference + view.sign * star.flux;
    const double unit = image.unit_for(source.number);
    const auto photons = [](double flux, double of_count) { return flux > 0 ? flux * of_count : 0; };
    const auto of_shape = [&](double flux) { return view.variance_of_shape(flux, unit); };
    return {fresh,
            reference,
            s.of[of_new] / square + photons(fresh, view.photons_of_new) + of_shape(fresh),
            s.of[of_reference] / square + photons(reference, view.photons_of_reference) + of_shape(reference),
            static_cast<std::int32_t>(s.of[count]),
            0};
  }

 private:
  SRCEXTRACT_HOST_DEVICE static FramesLight unknown() {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    return {nan, nan, nan, nan, 0, 0};
  }
};

inline void record_fields(const Buffer<FramesLight, Cpu>& rows, FieldRecorder& to) {
  to.members("flux in the new frame", Element::source, rows, &FramesLight::fresh);
  to.members("flux in the reference", Element::source, rows, &FramesLight::reference);
  to.members("variance in the new frame", Element::source, rows, &FramesLight::fresh_pixels);
  to.members("variance in the reference", Element::source, rows, &FramesLight::reference_pixels);
}

}  // namespace srcextract
