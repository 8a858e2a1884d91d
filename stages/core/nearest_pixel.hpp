#pragma once

#include <cmath>
#include <cstdint>

namespace srcextract {

/// The index of the pixel nearest to a position in a row or column of `size` pixels; both count from 0. NaN gives 0.
inline std::int64_t nearest_pixel(double position, std::int64_t size) {
  const double nearest = std::floor(position + 0.5);
  if (!(nearest > 0)) return 0;
  return nearest < static_cast<double>(size) ? static_cast<std::int64_t>(nearest) : size - 1;
}

}  // namespace srcextract
