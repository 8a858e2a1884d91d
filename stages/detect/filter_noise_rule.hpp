#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "stages/detect/false_discovery_rule.hpp"
#include "stages/detect/threshold.hpp"

namespace srcextract {

/// Pixels on one side of 0 are counted by how far from it they are, in the bins of significance_bin(), which begin at 0
/// here and are 1/32 of the noise of independent pixels wide. The last one begins at 64, beyond all that a kernel of 63
/// x 63 pixels makes of noise that neighbours share.
inline constexpr double noise_bins_per_sigma = 32;

SRCEXTRACT_HOST_DEVICE inline double noise_edge(int bin) {
  return bin / noise_bins_per_sigma;
}

enum class SideOfZero { below, above };

/// The levels with which significance_bin() counts so, where independent pixels give the filtered image that noise.
SRCEXTRACT_HOST_DEVICE inline Levels levels_beside_zero(double sigma, SideOfZero side) {
  const double unit = (side == SideOfZero::below ? sigma : -sigma) * bins_per_sigma / noise_bins_per_sigma;
  Levels levels;
  levels.zero_point = least_significance * unit;
  levels.detection = levels.zero_point - unit;
  return levels;
}

/// The shares of what a normal distribution has on a side of 0 that are more than one sigma from it, and more than two.
inline constexpr double share_beyond_one = 0.31731050786291410, share_beyond_two = 0.04550026389635842;

/// Sets `depth` to how far from 0 the farthest `share` of the pixels on its side begin, linear within a bin, if that is
/// in this bin. `beyond` counts the pixels in the bins after it, `in_bin` those in it, and `on_side` those in all.
SRCEXTRACT_HOST_DEVICE inline void find_share(int bin, std::int64_t beyond, std::int64_t in_bin, std::int64_t on_side,
                                              double share, double& depth) {
  const double wanted = share * static_cast<double>(on_side);
  const auto after = static_cast<double>(beyond), in = static_cast<double>(in_bin);
  if (after <= wanted && wanted < after + in) depth = (bin + (after + in - wanted) / in) / noise_bins_per_sigma;
}

/// The noise of the filtered image in units of that of independent pixels, by both distances on one side; 1 where it is
/// less than a tenth above that, or by no more than chance makes of so few pixels (4 sigma, where the kernel is 3
/// pixels wide). Infinite where the side tells nothing, since all pixels that far from 0 are in the last bin.
SRCEXTRACT_HOST_DEVICE inline double noise_by_depths(double one, double two, std::int64_t on_side) {
  if (one >= noise_edge(significance_bins - 1)) return std::numeric_limits<double>::infinity();
  const double noise = two - one;
  return noise > 1.1 + 14 / std::sqrt(static_cast<double>(on_side)) ? noise : 1;
}

/// That of both sides: the lower one, or 1 where neither tells it.
SRCEXTRACT_HOST_DEVICE inline double noise_of_sides(double below, double above) {
  const double lower = below < above ? below : above;
  return lower < std::numeric_limits<double>::infinity() ? lower : 1;
}

}  // namespace srcextract
