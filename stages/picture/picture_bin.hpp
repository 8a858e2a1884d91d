#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/picture/picture.hpp"

namespace srcextract {

/// Constants that divide the range of a picture into bins of equal width.
struct GreyBins {
  /// power of two that scales the width of the range to about 1, so that `low` and `factor` neither overflow nor
  /// underflow
  float scale;
  float low;     ///< low end of the range times `scale`
  float factor;  ///< number of bins per unit of (pixel * scale)
  float last;
};

/// Divides the range into `bins` bins, at most 65536.
inline GreyBins divide(const DisplayRange& range, std::int64_t bins) {
  const double width = static_cast<double>(range.high) - static_cast<double>(range.low);
  const double scale = std::ldexp(1.0, -std::clamp(std::ilogb(width), -126, 126));
  return {static_cast<float>(scale), static_cast<float>(range.low * scale),
          static_cast<float>(static_cast<double>(bins) / (width * scale)), static_cast<float>(bins - 1)};
}

SRCEXTRACT_HOST_DEVICE inline std::int32_t bin_of(const GreyBins& bins, float pixel) {
  const float place = (pixel * bins.scale - bins.low) * bins.factor;
  const float above = place > 0 ? place : 0;
  return static_cast<std::int32_t>(above < bins.last ? above : bins.last);
}

/// Returns the grey of a bin in an equalised histogram. `before` is the number of pixels in lower bins, `count` the
/// number in the bin, and `total` the number in all bins.
SRCEXTRACT_HOST_DEVICE inline std::uint8_t equalized_grey(std::uint64_t before, std::uint64_t count,
                                                          std::uint64_t total) {
  if (total == 0) return 0;
  // rounded to the nearest integer, halves up
  return static_cast<std::uint8_t>((255 * (2 * before + count) + total) / (2 * total));
}

}  // namespace srcextract
