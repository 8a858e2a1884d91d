#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <vector>

#include "stages/core/pixel_source.hpp"

namespace srcextract::testing {

/// Stored pixels [first, first + count), or all, as numbers of this machine.
template <class T>
std::vector<T> stored_pixels(const PixelSource& source, std::int64_t first = 0, std::int64_t count = -1) {
  if (count < 0) count = source.shape.count() - first;
  std::vector<T> pixels(static_cast<std::size_t>(count));
  source.read(first, count, reinterpret_cast<std::byte*>(pixels.data()));
  const bool swap = source.format.big_endian == (std::endian::native == std::endian::little);
  for (T& pixel : pixels) {
    auto bytes = std::as_writable_bytes(std::span(&pixel, 1));
    if (swap) std::ranges::reverse(bytes);
  }
  return pixels;
}

}  // namespace srcextract::testing
