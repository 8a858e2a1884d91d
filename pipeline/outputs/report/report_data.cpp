#include "pipeline/outputs/report/report_data.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "io/wcs/look_at_sky.hpp"
#include "pipeline/outputs/completeness/completeness_json.hpp"
#include "pipeline/outputs/injection/injection_tables.hpp"
#include "pipeline/outputs/report/page_text.hpp"
#include "stages/picture/display_range.hpp"
#include "stages/picture/picture.hpp"

namespace srcextract {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_rows = 5000, most_points = 3000;
/// Limits in bytes on rows with their ellipses, chosen so that the page opens fast, and on ellipses of further sources,
/// some 10 000.
constexpr std::size_t most_source_bytes = 900'000, most_shape_bytes = 500'000;
constexpr std::int64_t histogram_bins = 256;

Json columns_json(const std::vector<ReportColumn>& columns) {
  Json json = Json::array();
  for (const ReportColumn& column : columns)
    if (column.is_written) json.push_back({column.name, column.unit, column.description});
  return json;
}

/// The histogram of pixel values minus the sky, from -8 sigma to at least +24 sigma. The upper end is 1.5 times the
/// threshold if that is more, but at most 1000 sigma.
Json histogram_json(const ReportFacts& facts, const Cpu& where) {
  const Extraction& extraction = facts.extraction;
  const double sigma = extraction.background.clipped.sigma;
  const double threshold = extraction.levels.detection - extraction.levels.background;
  const double unit = sigma > 0 ? sigma : 1;
  const double clip = facts.config.background.kappa * sigma;
  const bool has_threshold = facts.has_threshold && std::isfinite(threshold) && threshold > 0;
  const double high = std::max(24 * unit, has_threshold ? std::min(1.5 * threshold, 1000 * unit) : 0);
  const DisplayRange range = range_between(-8 * unit, high);
  const Buffer<std::uint32_t, Cpu> counts = count_bins(extraction.check.above, range, histogram_bins, where);
  Json json = {{"low", range.low}, {"high", range.high}, {"level", extraction.sky_level()},
               {"sigma", sigma},   {"clip", clip},       {"unit", facts.pixel_unit}};
  json["threshold"] = has_threshold ? Json(threshold) : Json(nullptr);
  json["counts"] = std::vector<std::uint32_t>(counts.begin(), counts.end());
  return json;
}

/// Arcseconds of a pixel, and unit vectors in pixels to the north and to the east, at the middle of the image; null
/// without a WCS.
Json orientation_json(const std::string& header, const Shape& shape) {
  const std::vector<double> x = {0.5 * (static_cast<double>(shape.width) + 1)};
  const std::vector<double> y = {0.5 * (static_cast<double>(shape.height) + 1)};
  SkySteps steps;  // in degrees, along x and along y
  const auto keep = [&](std::size_t, const LocalSky& sky) { steps = sky.j2000_steps; };
  if (!look_at_sky(header, x, y, keep).empty()) return nullptr;
  const auto& [east, north] = steps;
  const double determinant = east[0] * north[1] - east[1] * north[0];
  if (!(std::abs(determinant) > 0) || !std::isfinite(determinant)) return nullptr;
  const auto unit = [&](double u, double v) {
    const double length = std::hypot(u, v) * (determinant < 0 ? -1 : 1);
    return Json{u / length, v / length};
  };
  return {{"scale", 3600 * std::sqrt(std::abs(determinant))},
          {"north", unit(-east[1], east[0])},
          {"east", unit(north[1], -north[0])}};
}

/// The number of sources per half magnitude.
Json counts_json(const ReportLight& light) {
  constexpr double step = 0.5;
  std::vector<double> known;
  std::ranges::copy_if(light.magnitudes, std::back_inserter(known), [](double m) { return std::isfinite(m); });
  if (known.empty()) return {{"low", 0}, {"step", step}, {"counts", Json::array()}};
  const auto [least, most] = std::ranges::minmax(known);
  const double low = std::floor(least / step) * step;
  std::vector<std::int64_t> counts(static_cast<std::size_t>((most - low) / step) + 1);
  for (const double magnitude : known) ++counts[static_cast<std::size_t>((magnitude - low) / step)];
  return {{"low", low}, {"step", step}, {"counts", counts}};
}

/// A JSON list of [rank by brightness, magnitude, error, size] of about most_points sources or fewer, at equal steps of
/// the rank.
std::string points_text(const ReportLight& light) {
  const std::size_t step = light.order.size() / most_points + 1;
  std::string text;
  for (std::size_t rank = 0; rank < light.order.size(); rank += step) {
    const std::size_t row = light.order[rank];
    if (!std::isfinite(light.magnitudes[row])) continue;
    text += fmt::format("{}[{},{},{},{}]", text.empty() ? "" : ",", rank, short_number(light.magnitudes[row]),
                        short_number(light.errors[row]), short_number(light.sizes[row]));
  }
  return "[" + text + "]";
}

/// The ellipse of a row as JSON text: [x, y, semi-major axis, semi-minor axis, angle]. A missing column gives null.
std::string shape_text(const std::vector<const ReportColumn*>& of_shape, std::size_t row) {
  std::string text;
  for (const ReportColumn* const column : of_shape)
    text += (text.empty() ? "[" : ",") + (column == nullptr ? "null" : json_number(*column, column->at(row)));
  return text + "]";
}

/// Rows and ellipses of the brightest sources: elements of JSON lists, without the lists' own brackets. There are
/// `count` rows, and as many ellipses or more.
struct BrightestRows {
  std::string rows, shapes;
  std::size_t count = 0;
};

BrightestRows brightest_rows(const ReportFacts& facts, std::size_t room) {
  const std::size_t most_bytes = std::min(room, most_source_bytes);
  std::vector<const ReportColumn*> of_shape;
  for (const char* name : {"X_IMAGE", "Y_IMAGE", "A_IMAGE", "B_IMAGE", "THETA_IMAGE"})
    of_shape.push_back(find_column(facts.columns, name));
  BrightestRows brightest;
  for (const std::size_t row : facts.light.order) {
    std::string values;
    for (const ReportColumn& column : facts.columns)
      if (column.is_written) values += (values.empty() ? "[" : ",") + json_number(column, column.at(row));
    const std::string shape = shape_text(of_shape, row);
    const std::size_t bytes = brightest.rows.size() + brightest.shapes.size() + values.size() + shape.size() + 3;
    if (brightest.count == most_rows || bytes > most_bytes) break;
    const char* const comma = brightest.count++ == 0 ? "" : ",";
    brightest.rows += comma + (values.empty() ? "[" : values) + "]";
    brightest.shapes += comma + shape;
  }
  // The page also draws ellipses of sources that have no row in its table.
  for (std::size_t rank = brightest.count; rank > 0 && rank < facts.light.order.size(); ++rank) {
    if (brightest.rows.size() + brightest.shapes.size() > std::min(room, most_bytes + most_shape_bytes)) break;
    brightest.shapes += "," + shape_text(of_shape, facts.light.order[rank]);
  }
  return brightest;
}

}  // namespace

std::string json_number(const ReportColumn& column, double value) {
  if (std::isnan(value)) return "null";
  if (std::isinf(value)) return value > 0 ? "\"inf\"" : "\"-inf\"";
  if (column.is_whole) return fmt::format("{:.0f}", value);
  return column.unit == "deg" ? fmt::format("{:.10g}", value) : fmt::format("{:.7g}", value);
}

std::vector<std::size_t> short_columns(const std::vector<ReportColumn>& columns) {
  std::vector<std::size_t> places;
  for (const char* name :
       {"Gaus_id",     "RA",       "DEC",         "Total_flux", "E_Total_flux", "Peak_flux", "E_Peak_flux",
        "Maj",         "Min",      "PA",          "NUMBER",     "X_IMAGE",      "Y_IMAGE",   "ALPHA_J2000",
        "DELTA_J2000", "MAG_AUTO", "MAGERR_AUTO", "FLUX_AUTO",  "FLUXERR_AUTO", "FLUX_ISO",  "FLUXERR_ISO",
        "FLUX_APER",   "MAG_PSF",  "MAGERR_PSF",  "FLUX_PSF",   "FLUXERR_PSF",  "CHI2_PSF",  "SNR",
        "A_IMAGE",     "B_IMAGE",  "FLAGS"}) {
    const ReportColumn* const column = find_column(columns, name);
    if (column != nullptr && column->is_written) places.push_back(static_cast<std::size_t>(column - columns.data()));
  }
  for (std::size_t i = 0; places.empty() && i < std::min<std::size_t>(8, columns.size()); ++i)
    if (columns[i].is_written) places.push_back(i);
  return places;
}

ReportData report_data(const ReportFacts& facts, std::size_t most_bytes, const Cpu& where) {
  const Shape& shape = facts.extraction.check.above.shape;
  Json json = {{"name", facts.name},
               {"image", {{"width", shape.width}, {"height", shape.height}, {"factor", facts.pictures.image.factor}}},
               {"frames", {{"factor", facts.pictures.fresh ? facts.pictures.fresh->factor : 1}}},
               {"stamps", {{"side", stamp_side}, {"columns", stamps_in_a_row}, {"count", facts.pictures.stamp_count}}},
               {"total", facts.light.order.size()},
               {"columns", columns_json(facts.columns)},
               {"short", short_columns(facts.columns)},
               {"histogram", histogram_json(facts, where)},
               {"magnitude", facts.light.magnitude},
               {"sky", orientation_json(facts.header, shape)},
               {"size", facts.light.size},
               {"counts", counts_json(facts.light)}};
  if (facts.completeness != nullptr) json["completeness"] = completeness_json(*facts.completeness);
  if (facts.injection != nullptr) json["injection"] = injection_json(*facts.injection);
  std::string text = script_text(json.dump(-1, ' ', false, Json::error_handler_t::replace));
  text.back() = ',';  // replaces the last brace
  text += "\n\"points\":" + points_text(facts.light);
  const BrightestRows brightest = brightest_rows(facts, most_bytes - std::min(most_bytes, text.size() + 64));
  text += ",\n\"shapes\":[" + brightest.shapes + "],\n\"rows\":[" + brightest.rows + "]}";
  return {text, brightest.count};
}

}  // namespace srcextract
