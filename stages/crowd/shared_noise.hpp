#pragma once

#include <cmath>
#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/math/noise_below.hpp"

namespace srcextract {

/// Pixels that share their noise, as in every resampled image, make the significance of a residual scatter by more than
/// 1: by the *shared noise*. It is measured in the values below 0, where stars are not. These are counted in bins of an
/// eighth of a sigma: where neighbours are alike, the noise of a pixel, which is measured in their differences, may be
/// a tenth of what it is.
inline constexpr double significance_bins_per_sigma = 8;
SRCEXTRACT_HOST_DEVICE inline int significance_depth(float significance) {
  return depth_bin(significance, static_cast<float>(-significance_bins_per_sigma));
}

/// Whether pixels share their noise, by CrowdPixels::difference_ratio() over one pixel and over two. Noise smoothed by
/// 0.35 pixels, whose significance scatters by 1.2, has 1.5 times as much over two pixels.
inline bool shares_noise(float near, float far) {
  constexpr float least = 1.4F;
  return near >= 0 && far > least * near;
}

/// Returns the shared noise, at least 1. `count(bin)` is the number of pixels in a bin of significance_depth().
template <class Count>
double shared_noise(const Count& count) {
  std::int64_t below = 0;
  for (int bin = 0; bin < depth_bins; ++bin) below += count(bin);
  const double found = find_depths(below, count).noise() / significance_bins_per_sigma;
  const double most = depth_bins / significance_bins_per_sigma;
  return found > most ? most : found > 1 ? found : 1;
}

}  // namespace srcextract
