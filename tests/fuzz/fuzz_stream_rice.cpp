#include <array>
#include <optional>

#include "io/tiles/rice.hpp"
#include "tests/fuzz/stream_support.hpp"

namespace srcextract::testing {
namespace {

/// Shares the bytes out among as many streams as are decoded side by side: these give the pixels that each gives by
/// itself, or are refused where one of them is.
template <class Pixel>
void decode_side_by_side(std::span<const std::uint8_t> data, std::int64_t count, std::int64_t block) {
  std::array<std::vector<std::byte>, rice_lanes> bytes;  // so that a byte beyond each of them is noticed
  std::array<std::span<const std::byte>, rice_lanes> streams;
  std::array<std::vector<Pixel>, rice_lanes> together;
  std::array<Pixel*, rice_lanes> out{};
  std::optional<std::array<std::vector<Pixel>, rice_lanes>> alone(std::in_place);
  for (std::size_t lane = 0; lane < rice_lanes; ++lane) {
    const auto part = std::as_bytes(data.subspan(
        data.size() * lane / rice_lanes, data.size() * (lane + 1) / rice_lanes - data.size() * lane / rice_lanes));
    bytes[lane].assign(part.begin(), part.end());
    streams[lane] = bytes[lane];
    if (!can_be_rice(streams[lane], count, block)) return;
    together[lane].assign(static_cast<std::size_t>(count), Pixel{1});
    out[lane] = together[lane].data();
    if (!alone) continue;
    (*alone)[lane].assign(static_cast<std::size_t>(count), Pixel{2});
    if (!decode_rice(streams[lane], block, std::span((*alone)[lane]))) alone.reset();
  }
  const bool good = decode_rice(streams, block, count, out);
  require(good == alone.has_value(), "streams are refused side by side and not by themselves, or the other way round");
  require(!good || together == *alone, "streams are decoded to other pixels side by side than by themselves");
}

}  // namespace
}  // namespace srcextract::testing

/// Streams of RICE_1 by themselves: what tile_rice does, without the file around them and so at many times its pace.
int fuzz_stream_rice(const std::uint8_t* data, std::size_t size) {
  using namespace srcextract;
  if (size < testing::TileImage::bytes) return 0;
  const testing::TileImage image(data);
  const std::int64_t block = (image.choice & 4) != 0 ? 16 : 32;
  const auto decode = [&]<class Pixel>(Pixel) {
    if ((image.choice & 8) != 0 && has_rice_lanes()) {
      testing::decode_side_by_side<Pixel>(std::span(data, size).subspan(testing::TileImage::bytes), image.width, block);
      return;
    }
    testing::decode_twice<Pixel>(data, size, [&](std::span<const std::byte> stream, std::span<Pixel> pixels) {
      return can_be_rice(stream, std::ssize(pixels), block) && decode_rice(stream, block, pixels);
    });
  };
  if (image.bitpix == 8) decode(std::uint8_t{});
  if (image.bitpix == 16) decode(std::int16_t{});
  if (image.bitpix != 8 && image.bitpix != 16) decode(std::int32_t{});
  return 0;
}
