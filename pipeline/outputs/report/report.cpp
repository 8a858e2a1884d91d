#include "pipeline/outputs/report/report.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "io/files/xml_text.hpp"
#include "pipeline/log/printable.hpp"
#include "pipeline/outputs/report/report_columns.hpp"
#include "pipeline/outputs/report/report_data.hpp"
#include "pipeline/outputs/report/report_files.hpp"
#include "pipeline/outputs/report/report_pictures.hpp"
#include "pipeline/outputs/report/report_sections.hpp"
#include "stages/core/counted.hpp"

namespace srcextract {
namespace {

/// Rows that a reader without JavaScript sees.
constexpr std::size_t plain_rows = 25;

/// Limit of the numbers that the script draws: the page opens fast.
constexpr std::size_t most_data_bytes = 900'000;

/// A longer configuration is cut: kernels can have thousands of values. run.json has all.
constexpr std::size_t most_yaml_bytes = 60'000;

std::string yaml_html(std::string yaml) {
  if (yaml.size() > most_yaml_bytes) {
    yaml.resize(most_yaml_bytes);
    yaml += "\n# (cut: run.json has all)\n";
  }
  std::string html;
  append_xml(html, yaml);
  for (std::size_t at = 0; (at = html.find("&#10;", at)) != html.npos;) html.replace(at, 5, "\n");
  return html;
}

std::string shown_text(std::size_t shown, std::size_t all) {
  if (all == 0) return "There is none.";
  if (shown == all)
    return (all > 1 ? "All " : "") + counted(static_cast<std::int64_t>(all), "source") + ", the brightest first.";
  return fmt::format("The {} brightest of {} sources; the catalogue has all.", shown, all);
}

/// The picture of stamps, hidden: the script cuts out of it.
std::string stamps_html(const ReportPictures& pictures) {
  return pictures.stamps ? "<img id=\"stamps\" alt=\"\" hidden src=\"" + pictures.stamps->address + "\">\n" : "";
}

std::string maps_html(const ReportPictures& pictures, const std::string& unit) {
  std::string html = map_html("Sky", pictures.sky, unit) + map_html("Noise", pictures.noise, unit);
  if (pictures.residual)
    html += map_html("Residual, without sky and sources", *pictures.residual, unit, !"a flat residual is shown");
  return html;
}

}  // namespace

std::string make_report(const RunRecord& record, const CatalogMetadata& metadata) {
  const Extraction& extraction = record.result.extraction;
  const Config& config = record.config.config;
  const Cpu& where = record.execution.cpu;
  const auto sources = static_cast<std::size_t>(extraction.sources.size());
  const bool at_positions = record.input.positions != nullptr;
  std::vector<ReportColumn> columns = report_columns(extraction.sources, metadata);
  // Where nothing was detected, columns that are not written hold nothing.
  if (at_positions) std::erase_if(columns, [](const ReportColumn& column) { return !column.is_written; });
  const ReportLight light = report_light(columns, sources, record.input.config().measurement.zero_point);
  const ReportPictures pictures = render_pictures(extraction, light.order, config.quicklook, where);
  const std::string name = printable_name(record.input.name), &unit = metadata.pixel_unit;
  std::map<std::string, std::string, std::less<>> parts = {
      {"name", xml_text(name)},
      {"style", report_style()},
      {"script", report_script()},
      {"summary", summary_html(record, unit)},
      {"warnings", warnings_html(record.result.warnings)},
      {"image", pictures.image.address},
      {"image_size",
       fmt::format("width=\"{}\" height=\"{}\"", pictures.image.shape.width, pictures.image.shape.height)},
      {"stamps", stamps_html(pictures)},
      {"table", table_html(columns, light, plain_rows)},
      {"completeness_link", record.completeness ? "<a href=\"#completeness\">Completeness</a> " : ""},
      {"completeness", record.completeness ? completeness_html(*record.completeness) : ""},
      {"maps", maps_html(pictures, unit)},
      {"times", times_html(record.result.times)},
      {"facts", facts_html(record, unit)},
      {"config", yaml_html(record.config.yaml)}};
  std::size_t bytes = report_page().size();
  for (const auto& [part, text] : parts) bytes += text.size() + (part == "name" ? 2 * text.size() : 0);
  constexpr std::size_t reserve = 10'000;  // for the sentence about rows
  const std::size_t room = most_report_bytes - std::min(most_report_bytes, bytes + reserve);
  const Completeness* const completeness = record.completeness ? &*record.completeness : nullptr;
  ReportData data = report_data({extraction, config, columns, light, pictures, name, unit, !at_positions, completeness},
                                std::min(room, most_data_bytes), where);
  parts["rows_shown"] = xml_text(shown_text(data.rows, sources));
  parts["data"] = std::move(data.json);
  return fill_page(report_page(), parts);
}

OutputFile write_report(const std::string& path, const RunRecord& record, const CatalogMetadata& metadata) {
  OutputFile file(path);
  file.write(make_report(record, metadata));
  return file;
}

}  // namespace srcextract
