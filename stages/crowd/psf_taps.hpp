#pragma once

#include <cmath>
#include <cstdint>

#include "stages/core/host_device.hpp"

namespace srcextract {

/// Interpolation of the PSF's mask (the grid that tabulates the PSF) along one axis: the mask pixels (taps) and their
/// weights for one pixel of a star's stamp.
struct PsfTaps {
  static constexpr int count = 8, phases = 1024, margin = 16;

  std::int32_t first;  ///< index of the first tap, where the margin of the mask counts too
  std::int32_t phase;  ///< index of the entry in the table of weights
  float part;          ///< fraction of the way from this entry to the next
  bool inside;         ///< whether the pixel is within the mask

  /// The taps for pixel `pixel` of the image and a star at position `at`. `middle` and `size` are the middle pixel and
  /// the number of pixels of the mask. `step` is the size of a mask pixel in image pixels.
  static SRCEXTRACT_HOST_DEVICE PsfTaps of(std::int32_t pixel, double at, int middle, std::int32_t size, double step) {
    const double place = middle + (pixel - at) / step + margin;
    const bool inside = place >= margin - 0.5 && place <= size - 1 + margin + 0.5;
    const auto below = inside ? static_cast<std::int32_t>(std::floor(place)) : 3;
    const double phase = inside ? (place - below) * phases : 0;
    const auto which = static_cast<std::int32_t>(phase) < phases - 1 ? static_cast<std::int32_t>(phase) : phases - 1;
    return {below - 3, which, static_cast<float>(phase - which), inside};
  }

  /// Weight k at this phase. In an entry of the table, the weights of `count` taps come first, then those for the
  /// slope.
  SRCEXTRACT_HOST_DEVICE float weight(const float* table, int k) const {
    const float* const entry = table + std::int64_t{2} * count * phase;
    return inside ? entry[k] + part * (entry[2 * count + k] - entry[k]) : 0.0F;
  }
};

SRCEXTRACT_HOST_DEVICE inline std::int32_t nearest_pixel(double at) {
  return static_cast<std::int32_t>(std::floor(at + 0.5));
}

}  // namespace srcextract
