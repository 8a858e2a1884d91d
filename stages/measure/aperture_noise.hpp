#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stages/core/stage_record.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {

/// The noise of the sky in a sum of N pixels: sigma(N) = sigma_1 alpha N^beta, where sigma_1 is the noise of a pixel
/// (Gawiser et al. 2006, ApJS 162, 1; Whitaker et al. 2011, ApJ 735, 86). The law is measured by sums over empty
/// apertures (Labbé et al. 2003, AJ 125, 1107). beta is 1/2 if pixels are independent, and 1 if the noise of all pixels
/// is fully correlated.
struct NoiseLaw {
  double alpha = 1, beta = 0.5;

  bool operator==(const NoiseLaw&) const = default;

  /// The noise of a sum of `pixels` pixels, divided by its value for independent pixels: alpha N^(beta - 1/2). It is at
  /// least 1, so that no error is smaller than that of independent pixels. No pixels, or NaN, give 1.
  double factor(double pixels) const {
    if (!(pixels > 0)) return 1;
    const double grown = alpha * portable_exp((beta - 0.5) * portable_log(pixels));
    return grown > 1 ? grown : 1;
  }
  /// Ratio of the variances.
  double variance_factor(double pixels) const {
    const double grown = factor(pixels);
    return grown * grown;
  }
};

/// The empty apertures of one radius.
struct EmptyApertures {
  double radius;           ///< in pixels
  std::int64_t pixels;     ///< N
  std::int64_t apertures;  ///< number of apertures
  double scatter;          ///< scatter of their sums divided by the noise of one pixel: sigma(N) / sigma_1

  bool operator==(const EmptyApertures&) const = default;
};

/// The noise of sums over apertures (stages/measure/empty_apertures.hpp).
struct ApertureNoise {
  NoiseLaw law;
  bool measured = false;  ///< false: too few empty apertures, so `law` is that of independent pixels
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
