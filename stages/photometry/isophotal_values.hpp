#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "stages/catalogue/sources.hpp"
#include "stages/measure/flux_calibration.hpp"

namespace srcextract {

/// A flux and its error.
struct CorrectedFlux {
  double value, error;
};

/// SExtractor's FLUX_ISOCOR (Maddox et al. 1990, MNRAS 243, 692). Adds the light that a Gaussian has below its
/// isophote, from the number of pixels and the threshold. A flux that is not above 0 stays unchanged.
inline CorrectedFlux corrected_flux(double flux, double error, double pixels, double threshold) {
  if (!(flux > 0)) return {flux, error};
  const double eta = std::clamp(pixels * threshold / flux, 0.0, 1.0), share = error * error / (flux * flux);
  const double delta = eta * std::sqrt(share + 1 / pixels);
  const double of_eta = 0.196099 * delta + 1.502416 * eta * delta;
  return {flux / (1 - 0.196099 * eta - 0.751208 * eta * eta), flux * std::sqrt(share + of_eta * of_eta)};
}

/// Calls f(name, value) for each column that follows from the usual columns of the same row. value(sources, row,
/// calibration) is the value in that column.
template <class F>
void for_each_isophotal_value(F&& f) {
  using Row = std::size_t;
  using At = FluxCalibration;
  const auto corrected = [](const Sources& s, Row i) {
    return corrected_flux(s.flux_iso[i], s.fluxerr_iso[i], static_cast<double>(s.npix[i]), s.threshold[i]);
  };
  const auto determinant = [](const Sources& s, Row i) {
    return s.x2_image[i] * s.y2_image[i] - s.xy_image[i] * s.xy_image[i];
  };
  f("MAG_ISO", [](const Sources& s, Row i, const At& at) { return at.magnitude(s.flux_iso[i]); });
  f("MAGERR_ISO",
    [](const Sources& s, Row i, const At& at) { return at.magnitude_error(s.flux_iso[i], s.fluxerr_iso[i]); });
  f("FLUX_ISOCOR", [corrected](const Sources& s, Row i, const At&) { return corrected(s, i).value; });
  f("FLUXERR_ISOCOR", [corrected](const Sources& s, Row i, const At&) { return corrected(s, i).error; });
  f("MAG_ISOCOR", [corrected](const Sources& s, Row i, const At& at) { return at.magnitude(corrected(s, i).value); });
  f("MAGERR_ISOCOR", [corrected](const Sources& s, Row i, const At& at) {
    return at.magnitude_error(corrected(s, i).value, corrected(s, i).error);
  });
  f("ISOAREAF_IMAGE", [](const Sources& s, Row i, const At&) { return s.npix[i]; });
  f("MU_MAX", [](const Sources& s, Row i, const At& at) { return at.surface_brightness(s.flux_max[i]); });
  f("ELONGATION", [](const Sources& s, Row i, const At&) { return s.a_image[i] / s.b_image[i]; });
  f("ELLIPTICITY", [](const Sources& s, Row i, const At&) { return 1 - s.b_image[i] / s.a_image[i]; });
  f("CXX_IMAGE", [determinant](const Sources& s, Row i, const At&) { return s.y2_image[i] / determinant(s, i); });
  f("CYY_IMAGE", [determinant](const Sources& s, Row i, const At&) { return s.x2_image[i] / determinant(s, i); });
  f("CXY_IMAGE", [determinant](const Sources& s, Row i, const At&) { return -2 * s.xy_image[i] / determinant(s, i); });
}

}  // namespace srcextract
