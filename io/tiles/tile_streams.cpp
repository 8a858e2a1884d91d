#include "io/tiles/tile_streams.hpp"

#include <algorithm>

#include "io/files/gzip.hpp"

namespace srcextract {
namespace {

using Stream = std::span<const std::byte>;

/// A signed number.
std::int64_t big_endian(Stream bytes) {
  std::uint64_t value = 0;
  for (std::byte byte : bytes) value = value << 8 | std::to_integer<std::uint64_t>(byte);
  const auto unused = static_cast<int>(64 - 8 * bytes.size());
  return static_cast<std::int64_t>(value << unused) >> unused;
}

}  // namespace

// 2 bytes of magic, the two lengths of the tile, the scale, the sum of the pixels, three numbers of bit planes.
bool is_hcompress_tile(Stream stream, std::int64_t pixels) {
  if (stream.size() < 25) return false;
  const std::int64_t nx = big_endian(stream.subspan(2, 4)), ny = big_endian(stream.subspan(6, 4));
  return nx > 0 && ny > 0 && nx <= pixels && ny <= pixels && nx * ny == pixels;
}

// A list of 16-bit words. Its length is the third if that is positive, else in the fourth and fifth, and then the
// second is the length of its header.
bool is_plio_tile(Stream stream) {
  if (stream.size() < 14) return false;
  const auto word = [&](std::size_t number) { return big_endian(stream.subspan(2 * number - 2, 2)); };
  const std::int64_t length = word(3) > 0 ? word(3) : word(5) * 32768 + word(4);
  return length > 0 && 2 * length <= std::ssize(stream) && word(2) >= 0;
}

bool is_gzip_tile(Stream stream, std::int64_t pixels, std::initializer_list<std::int64_t> pixel_bytes) {
  const std::int64_t size = inflated_size(stream, *std::max_element(pixel_bytes.begin(), pixel_bytes.end()) * pixels);
  return std::ranges::any_of(pixel_bytes, [&](std::int64_t bytes) { return size == bytes * pixels; });
}

}  // namespace srcextract
