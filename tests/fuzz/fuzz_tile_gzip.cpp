#include <zlib.h>

#include "tests/fuzz/tile_support.hpp"

namespace {

using namespace srcextract::testing;

/// As one gzip member, so that what the fuzzer changes is behind a checksum that fits.
std::string gzipped(std::string_view bytes) {
  z_stream stream{};
  constexpr int gzip_window = 15 + 16, memory_level = 8;
  require(deflateInit2(&stream, 1, Z_DEFLATED, gzip_window, memory_level, Z_DEFAULT_STRATEGY) == Z_OK, "zlib");
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  require(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

/// Tiles of GZIP_1 or GZIP_2: as the bytes stand there, or one tile of what they are when compressed.
int fuzz_tile_gzip(const std::uint8_t* data, std::size_t size) {
  if (size < TileImage::bytes) return 0;
  TileImage image(data);
  std::string stream(as_text(data + TileImage::bytes, size - TileImage::bytes));
  if ((image.choice & 8) != 0) {
    image.tile_height = image.height;
    stream = gzipped(stream);
  }
  read_compressed(
      compressed_image(image, (image.choice & 4) != 0 ? "GZIP_2" : "GZIP_1", 'B', stream, dithering(image)));
  return 0;
}
