#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stages/core/stage_record.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {

/// The law sigma(N) = sigma_1 alpha N^beta for the noise of the sky in a sum of N pixels, where sigma_1 is the noise of
/// one pixel (Gawiser et al. 2006, ApJS 162, 1; Whitaker et al. 2011, ApJ 735, 86). The law is fitted to the scatter of
/// sums over empty apertures (Labbé et al. 2003, AJ 125, 1107). beta is 1/2 if pixels are independent, and 1 if the
/// noise of all pixels is fully correlated.
struct NoiseLaw {
  double alpha = 1, beta = 0.5;

  bool operator==(const NoiseLaw&) const = default;

  /// Returns alpha N^(beta - 1/2): the noise of a sum of N = `pixels` pixels, divided by the noise if pixels were
  /// independent. The result is at least 1, so that no error is smaller than with independent pixels. Returns 1 if
  /// `pixels` is NaN or not positive.
  double factor(double pixels) const {
    if (!(pixels > 0)) return 1;
    const double grown = alpha * portable_exp((beta - 0.5) * portable_log(pixels));
    return grown > 1 ? grown : 1;
  }
  double variance_factor(double pixels) const {
    const double grown = factor(pixels);
    return grown * grown;
  }
};

/// Result for all empty apertures (circles on sky without sources) of one radius.
struct EmptyApertures {
  double radius;        ///< in pixels
  std::int64_t pixels;  ///< number N of pixels in an aperture
  std::int64_t apertures;
  double scatter;  ///< scatter of the apertures' sums divided by the noise of one pixel: sigma(N) / sigma_1

  bool operator==(const EmptyApertures&) const = default;
};

/// The noise of sums over apertures, as measure_empty_apertures() returns it.
struct ApertureNoise {
  NoiseLaw law;
  /// false if there were too few empty apertures; `law` is then the default, for independent pixels
  bool measured = false;
  std::vector<EmptyApertures> radii;

  bool operator==(const ApertureNoise&) const = default;
};

inline void record_fields(const ApertureNoise& noise, FieldRecorder& to) {
  to.value("alpha", noise.law.alpha);
  to.value("beta", noise.law.beta);
  to.value("measured", noise.measured ? 1 : 0);
  for (const EmptyApertures& one : noise.radii) {
    const std::string radius = " at " + std::to_string(one.pixels) + " pixels";
    to.value("apertures" + radius, one.apertures);
    to.value("scatter" + radius, one.scatter);
  }
}

}  // namespace srcextract
