#include "io/tiles/rice.hpp"
#include "tests/fuzz/stream_support.hpp"

/// A stream of RICE_1 by itself: what tile_rice does, without the file around it and so at many times its pace.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace srcextract;
  if (size < testing::TileImage::bytes) return 0;
  const testing::TileImage image(data);
  const std::int64_t block = (image.choice & 4) != 0 ? 16 : 32;
  const auto decode = [&]<class Pixel>(Pixel) {
    testing::decode_twice<Pixel>(data, size, [&](std::span<const std::byte> stream, std::span<Pixel> pixels) {
      return can_be_rice(stream, std::ssize(pixels), block) && decode_rice(stream, block, pixels);
    });
  };
  if (image.bitpix == 8) decode(std::uint8_t{});
  if (image.bitpix == 16) decode(std::int16_t{});
  if (image.bitpix != 8 && image.bitpix != 16) decode(std::int32_t{});
  return 0;
}
