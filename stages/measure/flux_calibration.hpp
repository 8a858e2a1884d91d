#pragma once

#include <cmath>
#include <limits>

#include "stages/math/exact_math.hpp"

namespace srcextract {

/// Converts fluxes in counts, and sums of pixel variances, to errors and magnitudes, for one source.
struct FluxCalibration {
  double pixel = 0;          ///< variance of a sky pixel, or the unit of the variance map, in counts^2
  double gain = 0;           ///< in e-/count; 0: no photon noise beyond that in the map
  double zero_point = 0;     ///< magnitude of one count
  double pixel_scale = 0;    ///< side of a pixel in arcseconds; 0: unknown
  double analysis = 0;       ///< analysis threshold above the sky, in counts
  bool has_photons = false;  ///< sums of variances already include photon noise

  /// Returns the error of a flux in counts. `variance` is the sum of the variances of its pixels in units of `pixel`.
  /// Without a variance map this sum is the number of pixels.
  double error(double flux, double variance) const {
    return std::sqrt(variance * pixel + (gain > 0 && flux > 0 && !has_photons ? flux / gain : 0));
  }

  /// Returns the magnitude of a flux; 99 if the flux is not above 0, as in SExtractor. magnitude_error() also returns
  /// 99 then.
  double magnitude(double flux) const { return flux > 0 ? zero_point - 2.5 / ln_10 * portable_log(flux) : 99; }
  /// Returns the surface brightness of a pixel with this value, in magnitudes per square arcsecond; NaN if the pixel
  /// scale is unknown.
  double surface_brightness(double value) const {
    if (pixel_scale == 0) return std::numeric_limits<double>::quiet_NaN();
    return value > 0 ? magnitude(value / (pixel_scale * pixel_scale)) : 99;
  }
  static double magnitude_error(double flux, double error) { return flux > 0 ? 2.5 / ln_10 * error / flux : 99; }
};

}  // namespace srcextract
