#include "tests/fuzz/tile_support.hpp"

/// Tiles of PLIO_1.
int fuzz_tile_plio(const std::uint8_t* data, std::size_t size) {
  using namespace srcextract::testing;
  if (size < TileImage::bytes) return 0;
  const TileImage image(data);
  read_compressed(compressed_image(image, "PLIO_1", 'I', as_text(data + TileImage::bytes, size - TileImage::bytes),
                                   dithering(image)));
  return 0;
}
