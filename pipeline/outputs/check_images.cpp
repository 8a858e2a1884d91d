#include "pipeline/outputs/check_images.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "config/fields/output.hpp"
#include "io/catalog/float_image.hpp"
#include "io/wcs/celestial_keywords.hpp"
#include "pipeline/outputs/sky_rows.hpp"
#include "stages/core/ascii.hpp"
#include "stages/core/masked_pixel.hpp"

namespace srcextract {
namespace {

void copy_row(const Image<float, Cpu>& image, std::int64_t y, float* row) {
  std::copy_n(image.pixels.data() + y * image.shape.width, image.shape.width, row);
}

/// Sets the pixels of a row to 0 that are in a source, or that are in none.
void clear_row(const Extraction& extraction, bool of_sources, std::int64_t width, std::int64_t y, float* row) {
  std::int64_t x = 0;
  for (std::int64_t i = extraction.runs.row_begin[y]; i < extraction.runs.row_begin[y + 1]; ++i) {
    if (extraction.label[i] == 0) continue;
    const Run& run = extraction.runs.runs[i];
    if (!of_sources) std::fill(row + x, row + run.begin, 0.0F);
    if (of_sources) std::fill(row + run.begin, row + run.end, 0.0F);
    x = run.end;
  }
  if (!of_sources) std::fill(row + x, row + width, 0.0F);
}

/// EXTNAME: MINIBACKGROUND, -OBJECTS.
std::string extname(CheckImage which) {
  return in_capitals(names_of(which).at(static_cast<std::size_t>(which)));
}

}  // namespace

OutputFile write_check_image(const std::string& path, CheckImage which, ImageCompression compression,
                             const Extraction& extraction, const Shape& shape, const std::string& header,
                             const CatalogMetadata& metadata, const Cpu& where) {
  const CheckData& check = extraction.check;
  const std::int64_t width = shape.width;
  const auto write = [&](const Shape& of, const std::string& cards, const std::string& unit, const MakeRow& make_row) {
    return write_float_image(path, {of, extname(which), unit, cards, make_row}, compression, metadata, where);
  };
  if (which == CheckImage::minibackground || which == CheckImage::miniback_rms) {
    const Buffer<float, Cpu>& nodes = which == CheckImage::minibackground ? check.mesh.level : check.mesh.rms;
    const Shape& of = check.mesh.grid.nodes;
    return write(of, "", metadata.pixel_unit,
                 [&](std::int64_t y, float* row) { std::copy_n(nodes.data() + y * of.width, of.width, row); });
  }
  const std::string cards = celestial_cards(header);
  SkyRows sky(extraction);
  std::vector<float> noise(static_cast<std::size_t>(width));
  const Image<float, Cpu>& filtered = check.filtered.pixels.empty() ? check.above : check.filtered;
  const std::string unit = which == CheckImage::snr ? "" : metadata.pixel_unit;
  return write(shape, cards, unit, [&](std::int64_t y, float* row) {
    switch (which) {
      case CheckImage::background:
        return sky.level(y, row, width);
      case CheckImage::rms:
        return sky.rms(y, row, width);
      case CheckImage::objects:
      case CheckImage::minus_objects:
        copy_row(check.above, y, row);
        return clear_row(extraction, which == CheckImage::minus_objects, width, y, row);
      case CheckImage::snr:
        copy_row(filtered, y, row);
        sky.rms(y, noise.data(), width);
        std::transform(row, row + width, noise.begin(), row,
                       [](float pixel, float rms) { return pixel_of(pixel / rms); });
        return;
      case CheckImage::filtered:
        return copy_row(filtered, y, row);
      default:
        return copy_row(check.above, y, row);
    }
  });
}

}  // namespace srcextract
