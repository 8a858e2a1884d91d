#pragma once

#include <cmath>
#include <cstdint>

namespace srcextract {

/// The index of the pixel nearest to a position along an axis of `size` pixels. Index and position count from 0.
/// Positions beyond the axis give the pixel at its end; NaN gives 0.
inline std::int64_t nearest_pixel(double position, std::int64_t size) {
  const double nearest = std::floor(position + 0.5);
  if (!(nearest > 0)) return 0;
  return nearest < static_cast<double>(size) ? static_cast<std::int64_t>(nearest) : size - 1;
}

}  // namespace srcextract
