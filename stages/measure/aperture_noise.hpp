#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stages/core/stage_record.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {

/// How the noise of the sky in a sum grows with the number N of its pixels: sigma(N) = sigma_1 alpha N^beta, where
/// sigma_1 is that of a pixel (Gawiser et al. 2006, ApJS 162, 1; Whitaker et al. 2011, ApJ 735, 86; from sums over
/// empty apertures, as Labbé et al. 2003, AJ 125, 1107, have it). beta is 1/2 where pixels are independent, and 1 where
/// all have the same noise.
struct NoiseLaw {
  double alpha = 1, beta = 0.5;

  bool operator==(const NoiseLaw&) const = default;

  /// By what the noise of a sum of so many pixels is larger than if they were independent: alpha N^(beta - 1/2), and
  /// never less than 1, so that no error becomes smaller than that of independent pixels. 1 of no pixels and of NaN.
  double factor(double pixels) const {
    if (!(pixels > 0)) return 1;
    const double grown = alpha * portable_exp((beta - 0.5) * portable_log(pixels));
    return grown > 1 ? grown : 1;
  }
  /// The same of a variance.
  double variance_factor(double pixels) const {
    const double grown = factor(pixels);
    return grown * grown;
  }
};

/// What the empty apertures of one radius tell.
struct EmptyApertures {
  double radius;           ///< in pixels
  std::int64_t pixels;     ///< N
  std::int64_t apertures;  ///< how many there are
  double scatter;          ///< of their sums in units of the noise of a pixel: sigma(N) / sigma_1

  bool operator==(const EmptyApertures&) const = default;
};

/// The noise of sums over apertures (stages/measure/empty_apertures.hpp).
struct ApertureNoise {
  NoiseLaw law;
  bool measured = false;  ///< false: there are too few empty places, and the law is that of independent pixels
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
