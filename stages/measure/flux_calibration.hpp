#pragma once

#include <cmath>
#include <limits>

#include "stages/math/exact_math.hpp"

namespace srcextract {

/// What turns a flux and the variance of its pixels into error and magnitude, where a source is.
struct FluxCalibration {
  double pixel = 0;        ///< variance of a pixel of the sky, or the unit in which a map has the variances
  double gain = 0;         ///< in e-/count; 0: no photon noise but what the map has
  double zero_point = 0;   ///< magnitude of one count
  double pixel_scale = 0;  ///< side of a pixel in arcseconds; 0: not known
  double analysis = 0;     ///< the analysis threshold above the sky

  /// The error of a flux that was summed over pixels of so much variance, in units of `pixel`: without a map, their
  /// number.
  double error(double flux, double variance) const {
    return std::sqrt(variance * pixel + (gain > 0 && flux > 0 ? flux / gain : 0));
  }

  /// 99 where the flux is not above 0, as in SExtractor; and its error.
  double magnitude(double flux) const { return flux > 0 ? zero_point - 2.5 / ln10 * portable_log(flux) : 99; }
  /// Of a pixel, in magnitudes per square arcsecond; NaN where its size is not known.
  double surface_brightness(double value) const {
    if (pixel_scale == 0) return std::numeric_limits<double>::quiet_NaN();
    return value > 0 ? magnitude(value / (pixel_scale * pixel_scale)) : 99;
  }
  static double magnitude_error(double flux, double error) { return flux > 0 ? 2.5 / ln10 * error / flux : 99; }

 private:
  static constexpr double ln10 = 2.30258509299404568402;
};

}  // namespace srcextract
