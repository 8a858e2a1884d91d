#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "stages/detect/false_discovery_rule.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/math/noise_below.hpp"

namespace srcextract {

/// Number of bins per sigma, when significance_bin() counts the pixels on one side of 0 by their distance from 0
/// (levels_beside_zero). sigma is the noise that the filtered image would have if pixels were independent. The first
/// bin begins at 0 and the last at about 64 sigma. A kernel of 63 x 63 pixels, the largest, gives at most 63 sigma even
/// if all pixels are perfectly correlated.
inline constexpr double noise_bins_per_sigma = 32;

SRCEXTRACT_HOST_DEVICE inline double noise_edge(int bin) {
  return bin / noise_bins_per_sigma;
}

enum class SideOfZero { below, above };

/// Returns levels with which significance_bin() counts pixels by their distance from 0, on one side of 0. `sigma` is
/// the noise that the filtered image would have if pixels were independent.
SRCEXTRACT_HOST_DEVICE inline Levels levels_beside_zero(double sigma, SideOfZero side) {
  const double unit = (side == SideOfZero::below ? sigma : -sigma) * bins_per_sigma / noise_bins_per_sigma;
  Levels levels;
  levels.zero_point = least_significance * unit;
  levels.detection = levels.zero_point - unit;
  return levels;
}

/// Returns the noise of the filtered image in units of the noise that independent pixels would give. `one` and `two`
/// are the depths of find_share() for share_beyond_one and share_beyond_two; the noise is their difference. The result
/// is 1 if the difference is below 1.1, or so close to 1.1 that it may be chance: 14 / sqrt(on_side) is 4 sigma for a
/// kernel 3 pixels wide. The result is infinite, meaning unknown, if `one` is in the last bin.
SRCEXTRACT_HOST_DEVICE inline double noise_by_depths(double one, double two, std::int64_t on_side) {
  one /= noise_bins_per_sigma;
  two /= noise_bins_per_sigma;
  if (one >= noise_edge(significance_bins - 1)) return std::numeric_limits<double>::infinity();
  const double noise = two - one;
  return noise > 1.1 + 14 / std::sqrt(static_cast<double>(on_side)) ? noise : 1;
}

/// Returns the lower of two results of noise_by_depths(), for the two sides of 0; 1 if both are unknown.
SRCEXTRACT_HOST_DEVICE inline double noise_of_sides(double below, double above) {
  const double lower = below < above ? below : above;
  return lower < std::numeric_limits<double>::infinity() ? lower : 1;
}

}  // namespace srcextract
