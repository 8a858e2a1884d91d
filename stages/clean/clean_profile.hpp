#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "stages/math/exact_math.hpp"

namespace srcextract {

/// The light of a source as CLEAN models it: a Moffat profile, whose wings may reach other sources, and the limit of
/// the source.
struct CleanProfile {
  double x, y;    ///< centroid in pixels, from 0
  double height;  ///< value of the profile at the centroid, above the sky
  double slope;   ///< alpha of the profile height * (1 + alpha * q)^-beta, where q = cxx dx^2 + cyy dy^2 + cxy dx dy
  float cxx, cyy, cxy;
  float a;      ///< semi-major axis in pixels
  float limit;  ///< how far the source exceeds its threshold (clean_limit.hpp)
};

/// The data of a source that decide which sources are absorbed.
struct CleanCandidate {
  CleanProfile profile;
  double flux;         ///< sum of pixels in the image in which the source was detected
  std::int32_t place;  ///< index of the source in SExtractor's order, from 0
  float threshold;     ///< threshold of the source, above the sky
  std::int64_t npix;
  double area;  ///< area of the ellipse, pi a b, in pixels
};

/// Whether centroid and semi-major axis are finite. If not, CLEAN ignores the source.
SRCEXTRACT_HOST_DEVICE inline bool can_be_found(const CleanProfile& profile) {
  return std::isfinite(profile.x) && std::isfinite(profile.y) && std::isfinite(profile.a);
}

/// x^p for x > 0, with the same result on host and device.
SRCEXTRACT_HOST_DEVICE inline double clean_power(double x, double p) {
  if (p == 1) return x;
  return p == -1 ? 1 / x : portable_exp(p * portable_log(x));
}

SRCEXTRACT_HOST_DEVICE inline void set_slope(CleanProfile& profile, std::int64_t npix, double area, float threshold,
                                             double beta) {
  const double above = profile.height / static_cast<double>(threshold);
  profile.slope = above > 0 ? (clean_power(above, 1 / beta) - 1) * area / static_cast<double>(npix) : -1;
}

/// Sets height and slope of a profile whose ellipse is set. `flux` and `npix` are from the image in which the source
/// was detected. With U = pi a b, the height is A = flux / (2 U correction). The slope ((A / threshold)^(1 / beta) - 1)
/// U / npix makes the profile fall to the threshold at the border of an ellipse of npix pixels.
SRCEXTRACT_HOST_DEVICE inline void set_wings(CleanProfile& profile, double flux, std::int64_t npix, float b,
                                             double correction, float threshold, double beta) {
  const double area = std::numbers::pi * static_cast<double>(profile.a) * static_cast<double>(b);
  profile.height = flux / (2 * area * correction);
  set_slope(profile, npix, area, threshold, beta);
}

/// The profile of a source that has absorbed other sources with together `flux` and `npix` pixels. The ellipse stays
/// the same.
SRCEXTRACT_HOST_DEVICE inline CleanProfile grown(const CleanCandidate& source, double flux, std::int64_t npix,
                                                 double beta) {
  CleanProfile profile = source.profile;
  profile.height *= (source.flux + flux) / source.flux;
  set_slope(profile, source.npix + npix, source.area, source.threshold, beta);
  return profile;
}

/// Whether the wings of the brighter source `big` exceed the limit of `small` at the centroid of `small`. False if the
/// centroids are further apart than 10 times the sum of the semi-major axes, or if the profile does not decrease with
/// distance. Variables are float where SExtractor's are.
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
