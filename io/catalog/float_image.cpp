#include "io/catalog/float_image.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/files/big_endian.hpp"
#include "io/files/gzip_stream.hpp"
#include "io/files/input_file.hpp"
#include "io/fits/fits_reader.hpp"
#include "io/fits/header_values.hpp"
#include "io/fits/table_head.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {
namespace {

/// Number of pixels that are compressed together, tile by tile, by several threads.
constexpr std::int64_t pixels_together = std::int64_t{1} << 20;

/// Bytes of a tile's descriptor in the table: length and offset in the heap, 64 bits each.
constexpr std::int64_t descriptor_bytes = 16;

/// How an image is divided into tiles, and the descriptors of the tiles written so far, as bytes of the table.
struct Tiles {
  Shape image;
  Shape tile = tile_shape(image);
  std::int64_t across = (image.width + tile.width - 1) / tile.width;
  std::int64_t down = (image.height + tile.height - 1) / tile.height;
  std::string descriptors = {};
  std::int64_t heap = 0;     ///< bytes of the tiles in the heap so far
  std::int64_t longest = 0;  ///< bytes of the longest tile so far

  void add(std::span<const std::byte> stream) {
    std::byte descriptor[descriptor_bytes];
    store_big_endian(static_cast<std::int64_t>(std::ssize(stream)), descriptor);
    store_big_endian(heap, descriptor + sizeof(heap));
    descriptors.append(reinterpret_cast<const char*>(descriptor), sizeof(descriptor));
    heap += std::ssize(stream);
    longest = std::max<std::int64_t>(longest, std::ssize(stream));
  }
};

/// Returns the header of the table that holds the tiles, with the cards of the image.
std::string table_header(const Tiles& tiles, const std::string& cards) {
  return whole_header(
      format_card({"XTENSION", std::string("BINTABLE")}) + format_card({"BITPIX", std::int64_t{8}}) +
      format_card({"NAXIS", std::int64_t{2}}) + format_card({"NAXIS1", descriptor_bytes}) +
      format_card({"NAXIS2", tiles.across * tiles.down}) + format_card({"PCOUNT", tiles.heap}) +
      format_card({"GCOUNT", std::int64_t{1}}) + format_card({"TFIELDS", std::int64_t{1}}) +
      format_card({"TTYPE1", std::string("COMPRESSED_DATA")}) +
      format_card({"TFORM1", "1QB(" + std::to_string(tiles.longest) + ")"}) + format_card({"ZIMAGE", true}) +
      format_card({"ZCMPTYPE", std::string("GZIP_2")}) + format_card({"ZQUANTIZ", std::string("NONE")}, "lossless") +
      format_card({"ZBITPIX", std::int64_t{-32}}, "float32") + format_card({"ZNAXIS", std::int64_t{2}}) +
      format_card({"ZNAXIS1", tiles.image.width}) + format_card({"ZNAXIS2", tiles.image.height}) +
      format_card({"ZTILE1", tiles.tile.width}) + format_card({"ZTILE2", tiles.tile.height}) + cards);
}

/// Returns columns [begin, end) of `rows`, which are `width` pixels long, shuffled for GZIP_2: the first bytes of all
/// pixels, then the second bytes, and so on.
std::vector<std::byte> shuffled(std::span<const float> rows, std::int64_t width, std::int64_t begin, std::int64_t end) {
  const std::int64_t count = std::ssize(rows) / width * (end - begin);
  std::vector<std::byte> bytes(static_cast<std::size_t>(count) * sizeof(float));
  std::byte* out = bytes.data();
  for (auto row = rows.begin(); row != rows.end(); row += width) {
    for (auto pixel = row + begin; pixel != row + end; ++pixel, ++out) {
      std::byte stored[sizeof(float)];
      store_big_endian(*pixel, stored);
      for (std::size_t i = 0; i < sizeof(float); ++i) out[static_cast<std::int64_t>(i) * count] = stored[i];
    }
  }
  return bytes;
}

/// Compresses the tiles of some rows of the image. The first of the rows must be the first row of a tile.
std::vector<std::vector<std::byte>> compressed(const Tiles& tiles, std::span<const float> rows, const Cpu& where) {
  const std::int64_t width = tiles.image.width, height = std::ssize(rows) / width;
  const std::int64_t down = (height + tiles.tile.height - 1) / tiles.tile.height;
  std::vector<std::vector<std::byte>> streams(static_cast<std::size_t>(tiles.across * down));
  parallel_for(std::ssize(streams), 1, where, [&](std::int64_t tile, std::int64_t) {
    const std::int64_t x = tile % tiles.across * tiles.tile.width, y = tile / tiles.across * tiles.tile.height;
    const std::int64_t tall = std::min(tiles.tile.height, height - y);
    const auto band = rows.subspan(static_cast<std::size_t>(y * width), static_cast<std::size_t>(tall * width));
    streams[static_cast<std::size_t>(tile)] = gzip_of(shuffled(band, width, x, std::min(x + tiles.tile.width, width)));
  });
  return streams;
}

/// Writes the image in tiles. `cards` are the header cards other than those of the file's layout.
OutputFile write_float_tiles(const std::string& path, const FloatImage& image, const std::string& cards,
                             const Cpu& where) {
  Tiles tiles{image.shape};
  OutputFile file(path);
  file.write(empty_primary_header());
  const std::int64_t header_begin = file.size();
  file.write(table_header(tiles, cards));
  const std::int64_t table_begin = file.size();
  file.write(std::string(static_cast<std::size_t>(tiles.across * tiles.down * descriptor_bytes), '\0'));
  const std::int64_t width = image.shape.width, height = image.shape.height;
  const std::int64_t band =
      tiles.tile.height * std::max<std::int64_t>(1, pixels_together / (tiles.tile.height * width));
  std::vector<float> rows;
  for (std::int64_t y = 0; y < height; y += band) {
    const std::int64_t end = std::min(y + band, height);
    rows.resize(static_cast<std::size_t>((end - y) * width));
    for (std::int64_t i = y; i < end; ++i) image.make_row(i, rows.data() + (i - y) * width);
    for (const std::vector<std::byte>& stream : compressed(tiles, rows, where)) {
      file.write(stream);
      tiles.add(stream);
    }
  }
  fill_record(file, file.size());
  file.overwrite(header_begin, table_header(tiles, cards));
  file.overwrite(table_begin, tiles.descriptors);
  return file;
}

/// Number of pixels that are written at a time, rounded to whole rows.
constexpr std::int64_t piece_pixels = std::int64_t{1} << 18;

/// Returns the header cards other than those of the file's layout.
std::string cards_of(const FloatImage& image, const CatalogMetadata& metadata) {
  std::string cards = (image.name.empty() ? "" : format_card({"EXTNAME", image.name})) +
                      format_card({"CREATOR", "srcextract " + metadata.version}, "program that wrote this file");
  if (!image.unit.empty()) cards += format_card({"BUNIT", image.unit});
  return cards + image.cards;
}

/// Calls f(bytes) with the big-endian pixels of some rows at a time.
template <class F>
void for_each_piece(const FloatImage& image, F&& f) {
  const auto [width, height] = image.shape;
  const std::int64_t rows = std::max<std::int64_t>(1, piece_pixels / std::max<std::int64_t>(1, width));
  std::vector<float> row(static_cast<std::size_t>(width));
  std::vector<std::byte> bytes;
  for (std::int64_t y = 0; y < height; y += rows) {
    const std::int64_t end = std::min(y + rows, height);
    bytes.resize(static_cast<std::size_t>((end - y) * width) * sizeof(float));
    std::byte* out = bytes.data();
    for (std::int64_t i = y; i < end; ++i) {
      image.make_row(i, row.data());
      for (const float pixel : row) {
        store_big_endian(pixel, out);
        out += sizeof(float);
      }
    }
    f(std::span<const std::byte>(bytes));
  }
}

}  // namespace

std::string image_header(std::int64_t bitpix, const char* type, const Shape& shape, const std::string& cards,
                         std::size_t further_axes) {
  std::string axes = format_card({"NAXIS", static_cast<std::int64_t>(2 + further_axes)}) +
                     format_card({"NAXIS1", shape.width}) + format_card({"NAXIS2", shape.height});
  for (std::size_t i = 3; i < 3 + further_axes; ++i)
    axes += format_card({"NAXIS" + std::to_string(i), std::int64_t{1}});
  return whole_header(format_card({"SIMPLE", true}) + format_card({"BITPIX", bitpix}, type) + axes + cards);
}

Shape tile_shape(const Shape& shape) {
  constexpr std::int64_t pixels = 65536, widest = std::int64_t{1} << 20;
  const std::int64_t width = std::min(shape.width, widest);
  return {width, std::clamp<std::int64_t>(pixels / width, 1, shape.height)};
}

OutputFile write_float_image(const std::string& path, const FloatImage& image, ImageCompression compression,
                             const CatalogMetadata& metadata, const Cpu& where) {
  const std::string cards = cards_of(image, metadata);
  if (compression == ImageCompression::tiles) return write_float_tiles(path, image, cards, where);
  OutputFile file(path);
  std::optional<GzipStream> gzip;
  if (compression == ImageCompression::gzip) gzip.emplace();
  const auto write = [&](std::span<const std::byte> bytes, bool last = false) {
    file.write(gzip ? gzip->add(bytes, last) : bytes);
  };
  write(std::as_bytes(std::span<const char>(image_header(-32, "float32", image.shape, cards, image.further_axes))));
  for_each_piece(image, write);
  const auto beyond = static_cast<std::size_t>(image.shape.count()) * sizeof(float) % fits_record;
  write(std::vector<std::byte>(beyond == 0 ? 0 : fits_record - beyond), true);
  return file;
}

}  // namespace srcextract
