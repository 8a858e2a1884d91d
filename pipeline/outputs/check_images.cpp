#include "pipeline/outputs/check_images.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/catalog/carried_cards.hpp"
#include "io/catalog/float_image.hpp"
#include "io/catalog/header_cards.hpp"
#include "io/fits/header_values.hpp"
#include "io/wcs/celestial_keywords.hpp"
#include "io/wcs/direction.hpp"
#include "pipeline/outputs/aperture_outlines.hpp"
#include "pipeline/outputs/check_rows.hpp"
#include "pipeline/outputs/sky_rows.hpp"
#include "stages/convolve/detection_filter.hpp"
#include "stages/core/ascii.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/ingest/ingest.hpp"
#include "stages/settings/output_keys.hpp"

namespace srcextract {
namespace {

/// The EXTNAME of a check image: the image's name in capitals, such as MINIBACKGROUND or -OBJECTS.
std::string extname(CheckImage which) {
  return in_capitals(names_of(which).at(static_cast<std::size_t>(which)));
}

/// Value that is added to the pixels of an outline in the check image `apertures`, in units of the sky noise; the same
/// as in SExtractor.
constexpr double line_sigmas = 30;

bool is_sextractors(const ImageInput& input) {
  return input.config().kept.as_sextractor;
}

/// Replaces the beam in the header cards by the beam that was used. Removes CASAMBM, which announces CASA's table of
/// beams, since that table is not written to check images.
std::string with_beam(const std::string& cards, const Config& config) {
  constexpr std::string_view of_beams[] = {"BMAJ", "BMIN", "BPA", "CASAMBM"};
  std::string out = format_card({"BMAJ", config.beam.fwhm[0] / arcseconds}) +
                    format_card({"BMIN", config.beam.fwhm[1] / arcseconds}) + format_card({"BPA", config.beam.angle});
  for_each_card(cards, [&](std::string_view card, std::string_view name) {
    if (std::ranges::count(of_beams, name) == 0) out += card;
  });
  return out;
}

}  // namespace

std::string check_image_cards(const ImageInput& input, const Shape& sides) {
  const std::string& header = input.header();
  const std::string name = is_sextractors(input) ? name_cards(header) : "";
  const std::string carried = carried_cards(header, input.frame.image().primary_header());
  return name + celestial_cards(header, sides.width, sides.height) + further_axes(input).cards +
         (fits_gaussians(input.config()) ? with_beam(carried, input.config()) : carried);
}

FurtherAxes further_axes(const ImageInput& input) {
  if (!fits_gaussians(input.config())) return {};
  const FitsImage& image = input.frame.image();
  const CelestialKeywords sky = read_celestial_keywords(image.header());
  const bool as_matrix = sky.real("CD1_1").has_value() || sky.real("CD2_2").has_value();
  return CubeAxes(image.header(), image.axes()).axes_of(input.frame.plane_numbers(), input.frame.weights(), as_matrix);
}

void show_masked_pixels(const ImageInput& input, Extraction& extraction, const Cpu& where) {
  CheckData& check = extraction.check;
  if (check.above.pixels.empty() || extraction.masked.weight == 0) return;
  const auto stored =
      std::make_shared<const Image<float, Cpu>>(ingest_image(input.first(), where, row_memory_of(check.above)));
  change_own_rows(check.above, where, [&extraction, stored](float* rows, std::int64_t begin, std::int64_t end) {
    const HeldRows held(*stored, begin, end);
    const std::int64_t width = stored->shape.width;
    SkyRows sky(extraction);
    std::vector<float> level(static_cast<std::size_t>(width));
    for (std::int64_t y = begin; y < end; ++y) {
      sky.level(y, level.data(), width);
      const float* const from = stored->pixels.data() + y * width;
      float* const above = rows + y * width;
      for (std::int64_t x = 0; x < width; ++x)
        if (std::isnan(above[x])) above[x] = from[x] - level[static_cast<std::size_t>(x)];
    }
  });
  if (input.detection == nullptr && !check.filtered.pixels.empty())
    check.filtered = filter_of(input.config().convolve).apply(check.above, Value<Background, Cpu>{}, where);
}

OutputFile write_identical_image(const std::string& path, const ImageInput& input, const CatalogMetadata& metadata,
                                 const Cpu& where) {
  constexpr std::int64_t row_bytes = std::int64_t{1} << 24;
  const Image<float, Cpu> image = ingest_image(input.first(), where, std::make_shared<RowMemory>(row_bytes));
  const std::string cards = check_image_cards(input);
  return write_float_image(path,
                           {image.shape, "", metadata.pixel_unit, cards,
                            [&](std::int64_t y, float* row) {
                              const HeldRows held(image, y, y + 1);
                              std::copy_n(image.pixels.data() + y * image.shape.width, image.shape.width, row);
                            }},
                           ImageCompression::none, metadata, where);
}

OutputFile write_check_image(const std::string& path, CheckImage which, ImageCompression compression,
                             const Extraction& extraction, const ImageInput& input, const CatalogMetadata& metadata,
                             const Cpu& where) {
  const CheckData& check = extraction.check;
  const Shape shape = input.exposure.shape();
  const std::int64_t width = shape.width;
  const auto write = [&](const Shape& of, const Shape& sides, const std::string& unit, const MakeRow& make_row) {
    const std::string name = is_sextractors(input) ? "" : extname(which);
    return write_float_image(path,
                             {of, name, unit, check_image_cards(input, sides), make_row, further_axes(input).count},
                             compression, metadata, where);
  };
  if (which == CheckImage::minibackground || which == CheckImage::miniback_rms) {
    const Buffer<float, Cpu>& nodes = which == CheckImage::minibackground ? check.mesh.level : check.mesh.rms;
    const Shape& of = check.mesh.grid.nodes;
    return write(of, check.mesh.grid.mesh, metadata.pixel_unit,
                 [&](std::int64_t y, float* row) { std::copy_n(nodes.data() + y * of.width, of.width, row); });
  }
  CheckRows rows(extraction, is_sextractors(input));
  if (which == CheckImage::apertures) {
    const auto line = static_cast<float>(line_sigmas * extraction.levels.sigma);
    // Outlines are computed for 256 rows at a time, since the outlines of all rows could need more memory than the
    // sources.
    constexpr std::int64_t rows_together = 256;
    std::int64_t begin = 0, end = 0;
    std::vector<std::int64_t> outlines;
    return write(shape, {1, 1}, metadata.pixel_unit, [&](std::int64_t y, float* row) {
      if (y < begin || y >= end) {
        begin = y / rows_together * rows_together;
        end = std::min(begin + rows_together, shape.height);
        outlines = aperture_outlines(extraction.sources, input.config().measurement, shape, begin, end);
      }
      rows.fill(which, y, row, width);
      for (auto i = std::ranges::lower_bound(outlines, y * width); i != outlines.end() && *i < (y + 1) * width; ++i)
        row[*i - y * width] += line;
    });
  }
  const bool has_unit = which != CheckImage::snr && which != CheckImage::islands && !shows_foreground(which);
  const std::string unit = has_unit ? metadata.pixel_unit : "";
  return write(shape, {1, 1}, unit, [&](std::int64_t y, float* row) { rows.fill(which, y, row, width); });
}

}  // namespace srcextract
