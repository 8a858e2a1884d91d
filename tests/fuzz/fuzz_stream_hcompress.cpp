#include "io/tiles/hcompress.hpp"
#include "tests/fuzz/stream_support.hpp"

/// A stream of HCOMPRESS_1 by itself, without the file around it.
int fuzz_stream_hcompress(const std::uint8_t* data, std::size_t size) {
  using namespace srcextract;
  if (size < testing::TileImage::bytes) return 0;
  const testing::TileImage image(data);
  const bool smooth = (image.choice & 8) != 0;
  testing::decode_twice<std::int32_t>(
      data, size, [&](std::span<const std::byte> stream, std::span<std::int32_t> pixels) {
        if (!read_hcompress_head(stream, std::ssize(pixels))) return false;
        return image.bitpix == 8 || image.bitpix == 16 ? decode_hcompress<std::int32_t>(stream, smooth, pixels)
                                                       : decode_hcompress<std::int64_t>(stream, smooth, pixels);
      });
  return 0;
}
