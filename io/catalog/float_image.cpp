#include "io/catalog/float_image.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "io/catalog/float_tiles.hpp"
#include "io/files/big_endian.hpp"
#include "io/files/gzip_stream.hpp"
#include "io/files/input_file.hpp"
#include "io/fits/table_head.hpp"

namespace srcextract {
namespace {

/// Pixels written at a time, in whole rows.
constexpr std::int64_t piece_pixels = std::int64_t{1} << 18;

/// Header cards that do not describe the layout of the file.
std::string cards_of(const FloatImage& image, const CatalogMetadata& metadata) {
  std::string cards = (image.name.empty() ? "" : format_card({"EXTNAME", image.name})) +
                      format_card({"CREATOR", "srcextract " + metadata.version}, "program that wrote this file");
  if (!image.unit.empty()) cards += format_card({"BUNIT", image.unit});
  return cards + image.cards;
}

/// Calls f(bytes) with the stored pixels, some rows at a time.
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

std::string image_header(std::int64_t bitpix, const char* type, const Shape& shape, const std::string& cards) {
  return whole_header(format_card({"SIMPLE", true}) + format_card({"BITPIX", bitpix}, type) +
                      format_card({"NAXIS", std::int64_t{2}}) + format_card({"NAXIS1", shape.width}) +
                      format_card({"NAXIS2", shape.height}) + cards);
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
  write(std::as_bytes(std::span<const char>(image_header(-32, "float32", image.shape, cards))));
  for_each_piece(image, write);
  const auto beyond = static_cast<std::size_t>(image.shape.count()) * sizeof(float) % fits_record;
  write(std::vector<std::byte>(beyond == 0 ? 0 : fits_record - beyond), true);
  return file;
}

}  // namespace srcextract
