#include "io/segmentation.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "io/celestial_cards.hpp"
#include "io/memory_fits.hpp"
#include "io/output_file.hpp"

namespace srcextract {
namespace {

/// Pixels compressed at a time, as whole rows: enough for short rows to compress well, little to hold.
constexpr std::int64_t tile_pixels = 65536;

std::int64_t tile_rows(const Shape& shape) {
  return std::clamp<std::int64_t>(tile_pixels / shape.width, 1, shape.height);
}

void copy_celestial_wcs(const std::string& header, fitsfile* file) {
  const std::string cards = celestial_cards(header).cards;
  for (std::size_t i = 0; i < cards.size(); i += 80) {
    int status = 0;  // a card that CFITSIO refuses is not worth the map
    fits_write_record(file, cards.substr(i, 80).c_str(), &status);
  }
}

void write_header(MemoryFits& fits, const Shape& shape, const std::string& header, const CatalogMetadata& metadata) {
  int status = 0;
  long tile[] = {static_cast<long>(shape.width), static_cast<long>(tile_rows(shape))};
  LONGLONG axes[] = {shape.width, shape.height};
  fits_set_compression_type(fits.get(), RICE_1, &status);
  fits_set_tile_dim(fits.get(), 2, tile, &status);
  fits_create_imgll(fits.get(), LONG_IMG, 2, axes, &status);
  fits_update_key_str(fits.get(), "EXTNAME", "SEGMENTATION", "pixel = NUMBER of its source, 0 = none", &status);
  fits_write_key_str(fits.get(), "CREATOR", ("srcextract " + metadata.version).c_str(), "program that wrote this file",
                     &status);
  fits.check(status, "create the segmentation map");
  copy_celestial_wcs(header, fits.get());
}

/// Paints row y of the map, which is all zero before.
void paint_row(const Runs<Cpu>& runs, const Buffer<std::int32_t, Cpu>& label, std::int64_t y, std::int32_t* row) {
  for (std::int64_t i = runs.row_begin[y]; i < runs.row_begin[y + 1]; ++i) {
    std::fill(row + runs.runs[i].begin, row + runs.runs[i].end, label[i]);
  }
}

void write_pixels(MemoryFits& fits, const Runs<Cpu>& runs, const Buffer<std::int32_t, Cpu>& label) {
  const auto [width, height] = runs.shape;
  const std::int64_t rows = tile_rows(runs.shape);
  std::vector<std::int32_t> tile(static_cast<std::size_t>(width * rows));
  static_assert(sizeof(int) == sizeof(std::int32_t), "TINT below");
  int status = 0;
  for (std::int64_t first = 0; first < height; first += rows) {
    const std::int64_t end = std::min(first + rows, height);
    std::fill(tile.begin(), tile.end(), 0);
    for (std::int64_t y = first; y < end; ++y) paint_row(runs, label, y, tile.data() + (y - first) * width);
    long low[] = {1, static_cast<long>(first + 1)};
    long high[] = {static_cast<long>(width), static_cast<long>(end)};
    fits_write_subset(fits.get(), TINT, low, high, tile.data(), &status);
  }
  fits.check(status, "write the segmentation map");
}

}  // namespace

void write_segmentation(const std::string& path, const Runs<Cpu>& runs, const Buffer<std::int32_t, Cpu>& label,
                        const std::string& header, const CatalogMetadata& metadata) {
  OutputFile file(path);
  MemoryFits fits;
  write_header(fits, runs.shape, header, metadata);
  write_pixels(fits, runs, label);
  file.write(fits.finish());
  file.commit();
}

}  // namespace srcextract
