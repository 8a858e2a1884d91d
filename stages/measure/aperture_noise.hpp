#pragma once

#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "stages/core/stage_record.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {

/// The noise of the sky in a sum of N pixels, where sigma_1 is the noise of one pixel. There are two laws:
/// - sigma(N) = sigma_1 alpha N^beta (Gawiser et al. 2006, ApJS 162, 1; Whitaker et al. 2011, ApJ 735, 86), fitted to
/// the
///   scatter of sums over empty apertures (Labbé et al. 2003, AJ 125, 1107). beta is 1/2 if pixels are independent, and
///   1 if the noise of all pixels is fully correlated.
/// - if `width` is above 0, that of independent pixels smoothed by a Gaussian of sigma `width` (SharedNoise). Their
///   correlation at distance d is exp(-d^2 / 4 width^2), and pairs of a sum with Gaussian weights w = exp(-r^2 / 2
///   t^2), t^2 = N / 4 pi, count by exp(-d^2 / 4 t^2). N is (sum w)^2 / sum w^2, so that circles count alike: within 3
///   % of the noise at radii of 3 pixels or more, 7 % at 1.5.
struct NoiseLaw {
  double alpha = 1, beta = 0.5, width = 0;

  bool operator==(const NoiseLaw&) const = default;

  /// The noise of a sum of N = `pixels` pixels, divided by the noise if pixels were independent. The result is at least
  /// 1, so that no error is smaller than with independent pixels. Returns 1 if `pixels` is NaN or not positive.
  double factor(double pixels) const {
    if (!(pixels > 0)) return 1;
    if (width > 0) return pairs_along(1 / (4 * width * width) + std::numbers::pi / pixels);
    const double grown = alpha * portable_exp((beta - 0.5) * portable_log(pixels));
    return grown > 1 ? grown : 1;
  }
  double variance_factor(double pixels) const {
    const double grown = factor(pixels);
    return grown * grown;
  }

 private:
  /// The sum of exp(-decay k^2) over all whole numbers k.
  static double pairs_along(double decay) {
    double sum = 1;
    for (int k = 1; decay * k * k < 40; ++k) sum += 2 * portable_exp(-decay * k * k);
    return sum;
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
