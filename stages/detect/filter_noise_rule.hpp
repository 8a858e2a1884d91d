#pragma once

#include <cmath>
#include <cstdint>

#include "stages/detect/false_discovery_rule.hpp"
#include "stages/detect/threshold.hpp"

namespace srcextract {

/// Pixels below 0 are counted by how far below they are, in the bins of significance_bin(), which begin at 0 here and
/// are 1/32 of the noise of independent pixels wide. The last one begins at 64, beyond all that a kernel of 63 x 63
/// pixels makes of noise that neighbours share.
inline constexpr double noise_bins_per_sigma = 32;

/// The levels with which significance_bin() counts so, where independent pixels give the filtered image that noise.
SRCEXTRACT_HOST_DEVICE inline Levels levels_below_zero(double sigma) {
  const double unit = sigma * bins_per_sigma / noise_bins_per_sigma;
  Levels levels;
  levels.zero_point = least_significance * unit;
  levels.detection = levels.zero_point - unit;
  return levels;
}

/// The shares of what a normal distribution has below 0 that are more than one sigma below, and more than two.
inline constexpr double share_beyond_one = 0.31731050786291410, share_beyond_two = 0.04550026389635842;

/// Sets `depth` to how far below 0 the lowest `share` of the pixels below 0 begin, linear within a bin, if that is in
/// this one. `beyond` counts the pixels in the bins after it, `in_bin` those in it, and `below` those in all.
SRCEXTRACT_HOST_DEVICE inline void find_share(int bin, std::int64_t beyond, std::int64_t in_bin, std::int64_t below,
                                              double share, double& depth) {
  const double wanted = share * static_cast<double>(below);
  const auto after = static_cast<double>(beyond), in = static_cast<double>(in_bin);
  if (after <= wanted && wanted < after + in) depth = (bin + (after + in - wanted) / in) / noise_bins_per_sigma;
}

/// The noise of the filtered image in units of that of independent pixels, by both depths; 1 where it is less than a
/// tenth above that, or by no more than chance makes of so few pixels below 0 (4 sigma, where the kernel is 3 pixels
/// wide).
SRCEXTRACT_HOST_DEVICE inline double noise_by_depths(double one, double two, std::int64_t below) {
  const double noise = two - one;
  return noise > 1.1 + 14 / std::sqrt(static_cast<double>(below)) ? noise : 1;
}

}  // namespace srcextract
