#pragma once

#include <algorithm>
#include <cstdint>

#include "stages/core/image.hpp"

namespace srcextract {

/// Two million pixels give statistics to a thousandth. Rows are left out as long as this many pixels and enough_rows
/// rows are read.
inline constexpr std::int64_t enough_pixels = std::int64_t{1} << 21;
inline constexpr std::int64_t enough_rows = 256;

/// The step n for reading only every n-th row. n is odd, since odd and even rows may be read out by different
/// amplifiers.
inline std::int64_t row_step(const Shape& shape) {
  const std::int64_t most = std::min(shape.count() / enough_pixels, shape.height / enough_rows);
  return most < 3 ? 1 : (most - 1) / 2 * 2 + 1;
}

/// The rows 0, n, 2n ... of an image.
Image<float, Cpu> every_nth_row(const Image<float, Cpu>& image, std::int64_t n, const Cpu& where);
Image<float, Gpu> every_nth_row(const Image<float, Gpu>& image, std::int64_t n, const Gpu& where);

}  // namespace srcextract
