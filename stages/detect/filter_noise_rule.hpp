#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "stages/detect/false_discovery_rule.hpp"
#include "stages/detect/threshold.hpp"

namespace srcextract {

/// Bins per noise of independent pixels, when significance_bin() counts the pixels on one side of 0 by their distance
/// from 0 (levels_beside_zero). The bins begin at 0. The last bin begins at about 64, beyond any noise that a kernel of
/// 63 x 63 pixels makes from correlated pixels.
inline constexpr double noise_bins_per_sigma = 32;

SRCEXTRACT_HOST_DEVICE inline double noise_edge(int bin) {
  return bin / noise_bins_per_sigma;
}

enum class SideOfZero { below, above };

/// Returns levels with which significance_bin() counts distances from 0 on one side. `sigma` is the noise of the
/// filtered image for independent pixels.
SRCEXTRACT_HOST_DEVICE inline Levels levels_beside_zero(double sigma, SideOfZero side) {
  const double unit = (side == SideOfZero::below ? sigma : -sigma) * bins_per_sigma / noise_bins_per_sigma;
  Levels levels;
  levels.zero_point = least_significance * unit;
  levels.detection = levels.zero_point - unit;
  return levels;
}

/// The fractions of one side of a normal distribution that are more than one, and more than two, sigma from 0.
inline constexpr double share_beyond_one = 0.31731050786291410, share_beyond_two = 0.04550026389635842;

/// Sets `depth` to the distance from 0 beyond which the fraction `share` of this side's pixels lies, if this distance
/// is in bin `bin`; linear within a bin. `beyond` is the number of pixels in later bins, `in_bin` in this bin,
/// `on_side` on the whole side.
SRCEXTRACT_HOST_DEVICE inline void find_share(int bin, std::int64_t beyond, std::int64_t in_bin, std::int64_t on_side,
                                              double share, double& depth) {
  const double wanted = share * static_cast<double>(on_side);
  const auto after = static_cast<double>(beyond), in = static_cast<double>(in_bin);
  if (after <= wanted && wanted < after + in) depth = (bin + (after + in - wanted) / in) / noise_bins_per_sigma;
}

/// The noise of the filtered image divided by that for independent pixels: the difference of the depths `two` and `one`
/// of a side. A quotient is taken as 1 if it is less than a tenth above 1. The same holds if chance explains it for so
/// few pixels (4 sigma, for a kernel 3 pixels wide). It is infinite, meaning no estimate, if `one` is in the last bin.
SRCEXTRACT_HOST_DEVICE inline double noise_by_depths(double one, double two, std::int64_t on_side) {
  if (one >= noise_edge(significance_bins - 1)) return std::numeric_limits<double>::infinity();
  const double noise = two - one;
  return noise > 1.1 + 14 / std::sqrt(static_cast<double>(on_side)) ? noise : 1;
}

/// The lower one of the noises of both sides; 1 if neither side has an estimate.
SRCEXTRACT_HOST_DEVICE inline double noise_of_sides(double below, double above) {
  const double lower = below < above ? below : above;
  return lower < std::numeric_limits<double>::infinity() ? lower : 1;
}

}  // namespace srcextract
