#pragma once

#include <cmath>

#include "stages/math/exact_math.hpp"

namespace srcextract {

/// What turns a flux and the variance of its pixels into error and magnitude, where a source is.
struct FluxCalibration {
  double pixel = 0;       ///< variance of a pixel of the sky, or the unit in which a map has the variances
  double gain = 0;        ///< in e-/count; 0: no photon noise but what the map has
  double zero_point = 0;  ///< magnitude of one count

  /// The error of a flux that was summed over pixels of so much variance, in units of `pixel`: without a map, their
  /// number.
  double error(double flux, double variance) const {
    return std::sqrt(variance * pixel + (gain > 0 && flux > 0 ? flux / gain : 0));
  }

  /// 99 where the flux is not above 0, as in SExtractor; and its error.
  double magnitude(double flux) const { return flux > 0 ? zero_point - 2.5 / ln10 * portable_log(flux) : 99; }
  static double magnitude_error(double flux, double error) { return flux > 0 ? 2.5 / ln10 * error / flux : 99; }

 private:
  static constexpr double ln10 = 2.30258509299404568402;
};

}  // namespace srcextract
