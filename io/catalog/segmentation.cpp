#include "io/catalog/segmentation.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "io/catalog/carried_cards.hpp"
#include "io/catalog/float_image.hpp"
#include "io/files/big_endian.hpp"
#include "io/fits/header_values.hpp"
#include "io/fits/memory_fits.hpp"
#include "io/fits/table_head.hpp"
#include "io/wcs/celestial_keywords.hpp"

namespace srcextract {
namespace {

void copy_cards(const std::string& cards, fitsfile* file) {
  for (std::size_t i = 0; i < cards.size(); i += 80) {
    int status = 0;  // a card that CFITSIO refuses is left out
    fits_write_record(file, cards.substr(i, 80).c_str(), &status);
  }
}

void write_header(MemoryFits& fits, const Shape& shape, const std::string& cards, const CatalogMetadata& metadata) {
  int status = 0;
  const Shape tile = tile_shape(shape);
  long tile_axes[] = {static_cast<long>(tile.width), static_cast<long>(tile.height)};
  LONGLONG axes[] = {shape.width, shape.height};
  fits_set_compression_type(fits.get(), RICE_1, &status);
  fits_set_tile_dim(fits.get(), 2, tile_axes, &status);
  fits_create_imgll(fits.get(), LONG_IMG, 2, axes, &status);
  fits_update_key_str(fits.get(), "EXTNAME", "SEGMENTATION", "pixel = NUMBER of its source, 0 = none", &status);
  fits_write_key_str(fits.get(), "CREATOR", ("srcextract " + metadata.version).c_str(), "program that wrote this file",
                     &status);
  fits.check(status, "create the segmentation map");
  copy_cards(cards, fits.get());
}

/// A rectangle of the label map: columns [x_begin, x_end) and rows [y_begin, y_end), from 0.
struct Box {
  std::int64_t x_begin, x_end, y_begin, y_end;
};

/// Writes the labels in image row y, columns [box.x_begin, box.x_end), to `row`, which must hold zeros.
void paint_row(const Runs<Cpu>& runs, const Buffer<std::int32_t, Cpu>& label, const Box& box, std::int64_t y,
               std::int32_t* row) {
  for_each_run_between(runs, y, box.x_begin, box.x_end, [&](std::int64_t run, std::int64_t begin, std::int64_t end) {
    std::fill(row + (begin - box.x_begin), row + (end - box.x_begin), label[run]);
  });
}

void write_pixels(MemoryFits& fits, const Runs<Cpu>& runs, const Buffer<std::int32_t, Cpu>& label) {
  const auto [width, height] = runs.shape;
  const Shape tile = tile_shape(runs.shape);
  std::vector<std::int32_t> pixels(static_cast<std::size_t>(tile.count()));
  static_assert(sizeof(int) == sizeof(std::int32_t), "TINT below");
  int status = 0;
  for (std::int64_t y = 0; y < height; y += tile.height) {
    for (std::int64_t x = 0; x < width; x += tile.width) {
      const Box box = {x, std::min(x + tile.width, width), y, std::min(y + tile.height, height)};
      std::fill(pixels.begin(), pixels.end(), 0);
      for (std::int64_t row = box.y_begin; row < box.y_end; ++row) {
        paint_row(runs, label, box, row, pixels.data() + (row - box.y_begin) * (box.x_end - box.x_begin));
      }
      long low[] = {static_cast<long>(box.x_begin + 1), static_cast<long>(box.y_begin + 1)};
      long high[] = {static_cast<long>(box.x_end), static_cast<long>(box.y_end)};
      fits_write_subset(fits.get(), TINT, low, high, pixels.data(), &status);
    }
  }
  fits.check(status, "write the segmentation map");
}

}  // namespace

OutputFile write_segmentation(const std::string& path, const Runs<Cpu>& runs, const Buffer<std::int32_t, Cpu>& label,
                              const std::string& header, const CatalogMetadata& metadata, std::string_view primary) {
  OutputFile file(path);
  MemoryFits fits;
  write_header(fits, runs.shape, celestial_cards(header) + carried_cards(header, primary), metadata);
  write_pixels(fits, runs, label);
  file.write(fits.finish());
  return file;
}

OutputFile write_labels(const std::string& path, const Runs<Cpu>& runs, const Buffer<std::int32_t, Cpu>& label,
                        const std::string& cards, const CatalogMetadata& metadata) {
  const auto [width, height] = runs.shape;
  const std::string creator =
      format_card({"CREATOR", "srcextract " + metadata.version}, "program that wrote this file");
  OutputFile file(path);
  file.write(image_header(32, "int32", runs.shape, creator + cards));
  std::vector<std::int32_t> row(static_cast<std::size_t>(width));
  std::vector<std::byte> bytes(row.size() * sizeof(std::int32_t));
  for (std::int64_t y = 0; y < height; ++y) {
    std::ranges::fill(row, 0);
    paint_row(runs, label, {0, width, y, y + 1}, y, row.data());
    for (std::size_t x = 0; x < row.size(); ++x) store_big_endian(row[x], bytes.data() + x * sizeof(std::int32_t));
    file.write(bytes);
  }
  fill_record(file, file.size());
  return file;
}

}  // namespace srcextract
