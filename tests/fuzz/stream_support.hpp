#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "tests/fuzz/tile_support.hpp"

namespace srcextract::testing {

/// Decodes the stream behind the bytes that say what image it is of, as one tile, twice to memory that held different
/// bytes: both times to the same pixels, or not at all. The stream and the pixels lie in memory of their own, so that a
/// byte beyond either is noticed.
template <class Pixel, class F>
void decode_twice(const std::uint8_t* data, std::size_t size, F&& decode) {
  const TileImage image(data);
  const auto* begin = reinterpret_cast<const std::byte*>(data) + TileImage::bytes;
  const std::vector<std::byte> stream(begin, begin + size - TileImage::bytes);
  std::vector<Pixel> first(static_cast<std::size_t>(image.width * image.height), static_cast<Pixel>(0x55555555));
  std::vector<Pixel> second(first.size(), static_cast<Pixel>(0x2aaaaaaa));
  const bool good = decode(std::span(stream), std::span(first));
  require(decode(std::span(stream), std::span(second)) == good, "a stream is refused once and not twice");
  require(!good || std::memcmp(first.data(), second.data(), first.size() * sizeof(Pixel)) == 0,
          "a stream is decoded to other pixels the second time");
}

}  // namespace srcextract::testing
