#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "stages/core/host_device.hpp"
#include "stages/difference/fit/find_peaks.hpp"
#include "stages/difference/resample_pixel.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {

inline constexpr int smoothing_half = 5;
inline constexpr int smoothing_taps = 2 * smoothing_half + 1;
/// A peak is the largest pixel within this distance along both axes, in pixels. Two peaks are therefore more than this
/// distance apart along some axis.
inline constexpr std::int64_t peak_half = 7;

/// The weights of the Gaussian that smooths a frame. Pixels minus the sky are smoothed along rows, and the results
/// along columns. Each sum is a chain of fmaf in the order of the weights. Pixels beyond the frame's edges are 0.
struct Smoothing {
  float weight[smoothing_taps];

  Smoothing() {
    constexpr double sigma = 1.3;
    double sum = 0;
    double values[smoothing_taps];
    for (int k = 0; k < smoothing_taps; ++k) {
      const double t = (k - smoothing_half) / sigma;
      values[k] = portable_exp(-t * t / 2);
      sum += values[k];
    }
    for (int k = 0; k < smoothing_taps; ++k) weight[k] = static_cast<float>(values[k] / sum);
  }
};

/// Whether no pixel within `half` of (x, y) along both axes is larger than this pixel, and no earlier pixel in raster
/// order is equal.
SRCEXTRACT_HOST_DEVICE inline bool is_peak(const ImageView& smoothed, std::int64_t x, std::int64_t y,
                                           std::int64_t half) {
  const float value = smoothed.at(x, y);
  for (std::int64_t j = y - half; j <= y + half; ++j) {
    for (std::int64_t i = x - half; i <= x + half; ++i) {
      if (!smoothed.contains(i, j)) continue;
      const bool earlier = j < y || (j == y && i < x);
      if (earlier ? smoothed.at(i, j) >= value : smoothed.at(i, j) > value) return false;
    }
  }
  return true;
}
/// Whether (x, y) is a peak with `half` = peak_half. The 3 x 3 pixels around are tested first, to save time: most
/// pixels have a larger neighbour.
SRCEXTRACT_HOST_DEVICE inline bool is_peak(const ImageView& smoothed, std::int64_t x, std::int64_t y) {
  return is_peak(smoothed, x, y, 1) && is_peak(smoothed, x, y, peak_half);
}

/// Sorts peaks by brightness, the brightest first, and peaks of equal brightness in raster order.
inline void sort_peaks(std::vector<Peak>& peaks) {
  std::ranges::sort(peaks, [](const Peak& a, const Peak& b) {
    if (a.value != b.value) return a.value > b.value;
    return a.y != b.y ? a.y < b.y : a.x < b.x;
  });
}

}  // namespace srcextract
