#pragma once

#include <cstdint>
#include <limits>

#include "stages/core/host_device.hpp"

// Measures noise from the values below 0 alone, where stars are not. CPU and GPU share this code.

namespace srcextract {

/// Values below 0 are counted by their depth, in equal bins. The last bin has all deeper values, too.
inline constexpr int depth_bins = 1024;

/// The bin of a value; depth_bins if the value is masked or not below 0. `scale` is minus the number of bins per unit.
SRCEXTRACT_HOST_DEVICE inline int depth_bin(float value, float scale) {
  const float place = value * scale;
  const float within = place < static_cast<float>(depth_bins - 1) ? place : static_cast<float>(depth_bins - 1);
  return place > 0 ? static_cast<int>(within) : depth_bins;
}

/// The fractions of the values of a normal distribution that are more than 1 sigma, and more than 2 sigma, away from
/// the mean.
inline constexpr double share_beyond_one = 0.31731050786291410, share_beyond_two = 0.04550026389635842;

/// If the depth beyond which the fraction `share` of a side's values lies is in bin `bin`, sets `depth` to this depth,
/// in bins; else does nothing. Interpolates linearly within a bin. `beyond` is the number of values in later bins,
/// `in_bin` the number in this bin, and `on_side` the number on the whole side.
SRCEXTRACT_HOST_DEVICE inline void find_share(int bin, std::int64_t beyond, std::int64_t in_bin, std::int64_t on_side,
                                              double share, double& depth) {
  const double wanted = share * static_cast<double>(on_side);
  const auto after = static_cast<double>(beyond), in = static_cast<double>(in_bin);
  if (after <= wanted && wanted < after + in) depth = bin + (after + in - wanted) / in;
}

/// The depths, in bins, beyond which lie as many of the values below 0 as of a normal distribution beyond 1 and 2
/// sigma, and beyond which lie half of them. The difference of the first two is the noise: an error of the level
/// changes both by the same amount. But that is at most 1.5 times what the half tells, so that up to a third of the
/// values may be of what is no noise: defects, or pits around galaxies. Values beyond deepest_bin() do not count.
struct Depths {
  double one, two, half;

  SRCEXTRACT_HOST_DEVICE void find(int bin, std::int64_t beyond, std::int64_t in_bin, std::int64_t below) {
    find_share(bin, beyond, in_bin, below, share_beyond_one, one);
    find_share(bin, beyond, in_bin, below, share_beyond_two, two);
    find_share(bin, beyond, in_bin, below, 0.5, half);
  }

  /// The last bin that counts, 4 sigma by the half of all values: of noise, 6 in 100 000 are deeper. Cold pixels and
  /// dead columns are, and the filter makes 25 pixels of each.
  SRCEXTRACT_HOST_DEVICE int deepest_bin() const {
    const double deepest = 4 * sigma_of_half * half;
    return deepest < depth_bins - 1 ? static_cast<int>(deepest) : depth_bins - 1;
  }

  /// The noise in bins; infinite if more than the last bin can tell.
  SRCEXTRACT_HOST_DEVICE double noise() const {
    constexpr double most = 1.5 * sigma_of_half;
    if (half >= depth_bins - 1) return std::numeric_limits<double>::infinity();
    return two - one < most * half ? two - one : most * half;
  }

  static constexpr double sigma_of_half = 1.4826;
};

/// Returns the depths of `below` values, of which count(bin) are in a bin.
template <class Count>
Depths find_depths(std::int64_t below, const Count& count) {
  const auto find_up_to = [&](int last, std::int64_t values) {
    Depths depths{0, 0, 0};
    std::int64_t beyond = 0;
    for (int bin = last; bin >= 0; --bin) {
      const std::int64_t in_bin = count(bin);
      if (in_bin == 0) continue;
      depths.find(bin, beyond, in_bin, values);
      beyond += in_bin;
    }
    return depths;
  };
  const Depths all = find_up_to(depth_bins - 1, below);
  const int last = all.deepest_bin();
  std::int64_t counting = 0;
  for (int bin = 0; bin <= last; ++bin) counting += count(bin);
  return counting < below ? find_up_to(last, counting) : all;
}

}  // namespace srcextract
