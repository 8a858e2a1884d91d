#include "io/tiles/gzip_tile.hpp"

#include <algorithm>

#include "io/files/gzip.hpp"

namespace srcextract {
namespace {

void unshuffle(const std::byte* shuffled, std::int64_t pixels, std::int64_t pixel_bytes, std::byte* out) {
  for (std::int64_t byte = 0; byte < pixel_bytes; ++byte) {
    for (std::int64_t i = 0; i < pixels; ++i) out[i * pixel_bytes + byte] = shuffled[byte * pixels + i];
  }
}

std::unique_ptr<std::byte[]> make_bytes(std::int64_t count) {
  return std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(count));
}

}  // namespace

bool can_be_gzip(std::span<const std::byte> stream, std::int64_t pixels) {
  constexpr std::int64_t most_of_a_byte = 1032;  // the most that deflate can do: 258 equal bytes in two bits
  return pixels / most_of_a_byte <= std::ssize(stream);
}

GzipTile inflate_tile(std::span<const std::byte> stream, std::int64_t pixels,
                      std::initializer_list<std::int64_t> pixel_bytes, bool shuffled) {
  const std::int64_t room = std::max(pixel_bytes) * pixels;
  GzipTile tile{make_bytes(room)};
  const std::int64_t size = inflate_member(stream, {tile.bytes.get(), static_cast<std::size_t>(room)});
  for (const std::int64_t bytes : pixel_bytes) {
    if (size == bytes * pixels) tile.pixel_bytes = bytes;
  }
  if (shuffled && tile.pixel_bytes > 1) {
    std::unique_ptr<std::byte[]> ordered = make_bytes(size);
    unshuffle(tile.bytes.get(), pixels, tile.pixel_bytes, ordered.get());
    tile.bytes = std::move(ordered);
  }
  return tile;
}

}  // namespace srcextract
