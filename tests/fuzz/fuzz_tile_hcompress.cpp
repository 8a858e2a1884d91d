#include "tests/fuzz/tile_support.hpp"

/// Tiles of HCOMPRESS_1.
int fuzz_tile_hcompress(const std::uint8_t* data, std::size_t size) {
  using namespace srcextract::testing;
  if (size < TileImage::bytes) return 0;
  const TileImage image(data);
  Cards cards{{"ZNAME1", "'SCALE'"},
              {"ZVAL1", (image.choice & 4) != 0 ? "4" : "0"},
              {"ZNAME2", "'SMOOTH'"},
              {"ZVAL2", (image.choice & 8) != 0 ? "1" : "0"}};
  for (const auto& card : dithering(image)) cards.push_back(card);
  read_compressed(
      compressed_image(image, "HCOMPRESS_1", 'B', as_text(data + TileImage::bytes, size - TileImage::bytes), cards));
  return 0;
}
