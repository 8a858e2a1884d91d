#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "stages/detect/false_discovery_rule.hpp"
#include "stages/detect/threshold.hpp"

namespace srcextract {

/// Pixels on one side of 0 are counted by their distance from 0, in the bins of significance_bin(). Here these begin at
/// 0 and are 1/32 of the noise of independent pixels wide. The last bin begins at 64, beyond any noise that a kernel of
/// 63 x 63 pixels makes from correlated pixels.
inline constexpr double noise_bins_per_sigma = 32;

SRCEXTRACT_HOST_DEVICE inline double noise_edge(int bin) {
  return bin / noise_bins_per_sigma;
}

enum class SideOfZero { below, above };

/// The levels that make significance_bin() count this way. `sigma` is the noise of the filtered image for independent
/// pixels.
SRCEXTRACT_HOST_DEVICE inline Levels levels_beside_zero(double sigma, SideOfZero side) {
  const double unit = (side == SideOfZero::below ? sigma : -sigma) * bins_per_sigma / noise_bins_per_sigma;
  Levels levels;
  levels.zero_point = least_significance * unit;
  levels.detection = levels.zero_point - unit;
  return levels;
}

/// The fractions of one side of a normal distribution that are more than one, and more than two, sigma from 0.
inline constexpr double share_beyond_one = 0.31731050786291410, share_beyond_two = 0.04550026389635842;

/// Sets `depth` to the distance from 0 beyond which `share` of the pixels on this side lie, if it is in this bin;
/// linear within a bin. `beyond` counts the pixels in later bins, `in_bin` those in this bin, `on_side` all on this
/// side.
SRCEXTRACT_HOST_DEVICE inline void find_share(int bin, std::int64_t beyond, std::int64_t in_bin, std::int64_t on_side,
                                              double share, double& depth) {
  const double wanted = share * static_cast<double>(on_side);
  const auto after = static_cast<double>(beyond), in = static_cast<double>(in_bin);
  if (after <= wanted && wanted < after + in) depth = (bin + (after + in - wanted) / in) / noise_bins_per_sigma;
}

/// The noise of the filtered image in units of that of independent pixels, from the two depths of one side. The result
/// is 1 if the noise is less than a tenth above 1, or within chance for so few pixels (4 sigma, for a kernel 3 pixels
/// wide). The result is infinite if depth one is in the last bin: then this side gives no estimate.
SRCEXTRACT_HOST_DEVICE inline double noise_by_depths(double one, double two, std::int64_t on_side) {
  if (one >= noise_edge(significance_bins - 1)) return std::numeric_limits<double>::infinity();
  const double noise = two - one;
  return noise > 1.1 + 14 / std::sqrt(static_cast<double>(on_side)) ? noise : 1;
}

/// The noise from both sides: the lower one, or 1 if neither side gives an estimate.
SRCEXTRACT_HOST_DEVICE inline double noise_of_sides(double below, double above) {
  const double lower = below < above ? below : above;
  return lower < std::numeric_limits<double>::infinity() ? lower : 1;
}

}  // namespace srcextract
