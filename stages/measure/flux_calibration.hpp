#pragma once

#include <cmath>
#include <limits>

#include "stages/math/exact_math.hpp"

namespace srcextract {

/// Turns a flux and the variance of its pixels into error and magnitude, at the position of a source.
struct FluxCalibration {
  double pixel = 0;          ///< variance of a sky pixel, or the unit of a map of variances
  double gain = 0;           ///< in e-/count; 0: no photon noise besides that in the map
  double zero_point = 0;     ///< magnitude of one count
  double pixel_scale = 0;    ///< side of a pixel in arcseconds; 0: not known
  double analysis = 0;       ///< analysis threshold above the sky
  bool has_photons = false;  ///< sums of variances include photon noise

  /// Error of a flux. `variance` is the sum of its pixels' variances in units of `pixel`; without a map, their number.
  double error(double flux, double variance) const {
    return std::sqrt(variance * pixel + (gain > 0 && flux > 0 && !has_photons ? flux / gain : 0));
  }

  /// 99 if the flux is not above 0, as in SExtractor. magnitude_error does the same.
  double magnitude(double flux) const { return flux > 0 ? zero_point - 2.5 / ln10 * portable_log(flux) : 99; }
  /// Surface brightness of a pixel, in magnitudes per square arcsecond; NaN if the pixel scale is not known.
  double surface_brightness(double value) const {
    if (pixel_scale == 0) return std::numeric_limits<double>::quiet_NaN();
    return value > 0 ? magnitude(value / (pixel_scale * pixel_scale)) : 99;
  }
  static double magnitude_error(double flux, double error) { return flux > 0 ? 2.5 / ln10 * error / flux : 99; }

 private:
  static constexpr double ln10 = 2.30258509299404568402;
};

}  // namespace srcextract
