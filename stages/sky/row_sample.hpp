#pragma once

#include <algorithm>
#include <cstdint>

#include "stages/core/image.hpp"

namespace srcextract {

/// Rows are skipped only as long as this many pixels and this many rows are still read. Two million pixels give
/// statistics to a thousandth.
inline constexpr std::int64_t enough_pixels = std::int64_t{1} << 21;
inline constexpr std::int64_t enough_rows = 256;

/// The step n if only every n-th row is read. n is odd, so that odd and even rows are both read: they may be read out
/// by different amplifiers.
inline std::int64_t row_step(const Shape& shape) {
  const std::int64_t most = std::min(shape.count() / enough_pixels, shape.height / enough_rows);
  return most < 3 ? 1 : (most - 1) / 2 * 2 + 1;
}

Image<float, Cpu> every_nth_row(const Image<float, Cpu>& image, std::int64_t n, const Cpu& where);
Image<float, Gpu> every_nth_row(const Image<float, Gpu>& image, std::int64_t n, const Gpu& where);

}  // namespace srcextract
