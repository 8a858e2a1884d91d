#pragma once

#include <limits>
#include <numbers>

#include "stages/clean/clean_profile.hpp"
#include "stages/measure/area_correction.hpp"
#include "stages/measure/ellipse.hpp"

namespace srcextract {

/// Returns the data of a source that CLEAN compares. CLEAN merges a source into a brighter neighbour if only the
/// neighbour's wings lift the source above the threshold (clean_sources.hpp).
/// - `sums`: sums over the source's pixels in the image in which the source was detected.
/// - `place`: index of the source in SExtractor's order, from 0.
/// - `limit`: see clean_limit.hpp.
/// - `threshold`: the lowest threshold of the source's pixels, minus the sky.
/// - `counts`: numbers of pixels above two levels (IsophoteCounts); null if each pixel has its own threshold.
SRCEXTRACT_HOST_DEVICE inline CleanCandidate candidate_of(const SourceSums& sums, const Parentage& parentage,
                                                          std::int32_t place, float limit, float threshold,
                                                          const IsophoteCounts* counts, double beta,
                                                          const Shape& shape) {
  const SourceOffset position = position_of(sums, parentage);
  constexpr double nan = undefined_value;
  const EllipseAxes ellipse =
      sums.v == 0 ? EllipseAxes{nan, nan, nan, nan, nan} : axes_of(widened(moments_about(sums, position)));
  const auto b = static_cast<float>(ellipse.b);
  const double determinant = ellipse.x2 * ellipse.y2 - ellipse.xy * ellipse.xy;
  CleanProfile profile{};
  profile.x = sums.xmin + position.x;
  profile.y = sums.ymin + position.y;
  profile.cxx = static_cast<float>(ellipse.y2 / determinant);
  profile.cyy = static_cast<float>(ellipse.x2 / determinant);
  profile.cxy = static_cast<float>(-2 * ellipse.xy / determinant);
  profile.a = static_cast<float>(ellipse.a);
  profile.limit = limit;
  const double correction = counts != nullptr ? area_correction(*counts, profile.a, b) : 1;
  set_wings(profile, sums.v, sums.npix, b, correction, threshold, beta);
  // Negative pixels can move the centroid out of the image. CLEAN then ignores the source, which the NaN below marks.
  const bool inside = profile.x >= 0 && profile.y >= 0 && profile.x < static_cast<double>(shape.width) &&
                      profile.y < static_cast<double>(shape.height);
  if (!inside) profile.a = std::numeric_limits<float>::quiet_NaN();
  return {profile, sums.v, place, threshold, sums.npix, std::numbers::pi * ellipse.a * ellipse.b};
}

}  // namespace srcextract
