#include "io/tiles/plio.hpp"
#include "tests/fuzz/stream_support.hpp"

/// A stream of PLIO_1 by itself, without the file around it.
int fuzz_stream_plio(const std::uint8_t* data, std::size_t size) {
  using namespace srcextract;
  if (size < testing::TileImage::bytes) return 0;
  testing::decode_twice<std::int32_t>(
      data, size,
      [](std::span<const std::byte> stream, std::span<std::int32_t> pixels) { return decode_plio(stream, pixels); });
  return 0;
}
