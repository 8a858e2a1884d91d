#pragma once

#include <cmath>
#include <cstdint>

#include "stages/math/exact_math.hpp"

namespace srcextract {

/// A source as CLEAN compares it: a Moffat profile of its light, which gives its wings, and its limit.
struct CleanProfile {
  double x, y;    ///< centroid, 0-based
  double height;  ///< height of the profile above the sky
  double slope;   ///< the profile is height (1 + slope q)^-beta, q = cxx dx^2 + cyy dy^2 + cxy dx dy
  float cxx, cyy, cxy;
  float a;      ///< semi-major axis
  float limit;  ///< height over the threshold (stages/clean/clean_limit.hpp)
};

/// Input of the decision which sources are absorbed.
struct CleanCandidate {
  CleanProfile profile;
  double flux;         ///< in the image in which the source was found
  std::int32_t place;  ///< place in SExtractor's order, from 0
  float threshold;     ///< threshold of the source, above the sky
  std::int64_t npix;
  double area;  ///< pi a b
};

/// Whether position and semi-major axis of a source are finite.
SRCEXTRACT_HOST_DEVICE inline bool can_be_found(const CleanProfile& profile) {
  return std::isfinite(profile.x) && std::isfinite(profile.y) && std::isfinite(profile.a);
}

/// x^p, for x > 0.
SRCEXTRACT_HOST_DEVICE inline double clean_power(double x, double p) {
  if (p == 1) return x;
  return p == -1 ? 1 / x : portable_exp(p * portable_log(x));
}

SRCEXTRACT_HOST_DEVICE inline void set_slope(CleanProfile& profile, std::int64_t npix, double area, float threshold,
                                             double beta) {
  const double above = profile.height / static_cast<double>(threshold);
  profile.slope = above > 0 ? (clean_power(above, 1 / beta) - 1) * area / static_cast<double>(npix) : -1;
}

/// Sets height and slope of the profile of a source whose ellipse is set. `flux` and `npix` are from the image in which
/// the source was found. With U = pi a b the height is A = flux / (2 U correction). The slope, ((A / threshold)^(1 /
/// beta) - 1) U / npix, makes the profile fall to the threshold over the area of the source.
SRCEXTRACT_HOST_DEVICE inline void set_wings(CleanProfile& profile, double flux, std::int64_t npix, float b,
                                             double correction, float threshold, double beta) {
  constexpr double pi = 3.14159265358979323846;
  const double area = pi * static_cast<double>(profile.a) * static_cast<double>(b);
  profile.height = flux / (2 * area * correction);
  set_slope(profile, npix, area, threshold, beta);
}

/// The profile of a source after it has absorbed `flux` and `npix` pixels of other sources. The ellipse stays as it
/// was.
SRCEXTRACT_HOST_DEVICE inline CleanProfile grown(const CleanCandidate& source, double flux, std::int64_t npix,
                                                 double beta) {
  CleanProfile profile = source.profile;
  profile.height *= (source.flux + flux) / source.flux;
  set_slope(profile, source.npix + npix, source.area, source.threshold, beta);
  return profile;
}

/// Whether the wings of `big`, a brighter source, exceed the limit of `small` at the position of `small`. Always false
/// if `small` is further away than 10 times the sum of both semi-major axes, or if the wings have not fallen there.
/// Computed in float where SExtractor does so.
SRCEXTRACT_HOST_DEVICE inline bool can_absorb(const CleanProfile& big, const CleanProfile& small, double beta) {
  const auto dx = static_cast<float>(small.x - big.x), dy = static_cast<float>(small.y - big.y);
  const float reach = 10 * (big.a + small.a);
  if (!(dx * dx + dy * dy < reach * reach)) return false;
  const float q = big.cxx * dx * dx + big.cyy * dy * dy + big.cxy * dx * dy;
  const double fall = 1 + big.slope * static_cast<double>(q);
  constexpr double none_left = 1e10;
  if (!(fall > 1)) return false;
  const double wing = fall < none_left ? big.height * clean_power(fall, -beta) : 0;
  return wing > static_cast<double>(small.limit);
}

}  // namespace srcextract
