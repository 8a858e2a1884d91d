#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "io/files/big_endian.hpp"
#include "stages/core/pixel_source.hpp"

namespace srcextract {

/// Returns a stored number, which has the byte order of the format, as a double.
template <class T>
double load_stored_number(const std::byte* bytes, const PixelFormat& format) {
  std::array<std::byte, sizeof(T)> ordered;
  std::copy_n(bytes, sizeof(T), ordered.begin());
  if (!format.big_endian && std::endian::native == std::endian::little) std::ranges::reverse(ordered);
  return static_cast<double>(load_big_endian<T>(ordered.data()));
}

/// Returns the value of a stored pixel in double, or NaN if the stored number is BLANK.
inline double stored_value(const std::byte* bytes, const PixelFormat& format) {
  double stored = 0;
  switch (format.bitpix) {
    case 8:
      stored = std::to_integer<int>(*bytes);
      break;
    case 16:
      stored = load_stored_number<std::int16_t>(bytes, format);
      break;
    case 32:
      stored = load_stored_number<std::int32_t>(bytes, format);
      break;
    case 64:
      stored = load_stored_number<std::int64_t>(bytes, format);
      break;
    case -32:
      stored = load_stored_number<float>(bytes, format);
      break;
    default:
      stored = load_stored_number<double>(bytes, format);
  }
  if (format.bitpix > 0 && format.blank && stored == static_cast<double>(*format.blank))
    return std::numeric_limits<double>::quiet_NaN();
  return format.bzero + format.bscale * stored;
}

}  // namespace srcextract
