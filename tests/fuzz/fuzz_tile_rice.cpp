#include "tests/fuzz/tile_support.hpp"

/// Tiles of RICE_1.
int fuzz_tile_rice(const std::uint8_t* data, std::size_t size) {
  using namespace srcextract::testing;
  if (size < TileImage::bytes) return 0;
  const TileImage image(data);
  const int bytes = image.floats() ? 4 : image.bitpix / 8;
  Cards cards{{"ZNAME1", "'BLOCKSIZE'"},
              {"ZVAL1", (image.choice & 4) != 0 ? "16" : "32"},
              {"ZNAME2", "'BYTEPIX'"},
              {"ZVAL2", std::to_string((image.choice & 8) != 0 ? 1 << image.choice / 16 % 3 : bytes)}};
  for (const auto& card : dithering(image)) cards.push_back(card);
  read_compressed(
      compressed_image(image, "RICE_1", 'B', as_text(data + TileImage::bytes, size - TileImage::bytes), cards));
  return 0;
}
