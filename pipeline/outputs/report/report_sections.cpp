#include "pipeline/outputs/report/report_sections.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

#include "io/files/xml_text.hpp"
#include "pipeline/log/printable.hpp"
#include "pipeline/machine/utc.hpp"
#include "pipeline/machine/versions.hpp"
#include "pipeline/outputs/report/page_text.hpp"
#include "pipeline/outputs/report/report_data.hpp"
#include "stages/core/counted.hpp"

namespace srcextract {
namespace {

std::string row_html(const std::string& name, const std::string& value) {
  return "<tr><th scope=\"row\">" + xml_text(name) + "</th><td>" + xml_text(value) + "</td></tr>\n";
}

std::string sky_text(const Extraction& extraction, const std::string& unit) {
  const Background& sky = extraction.background;
  const std::string noise = with_unit(sky.clipped.sigma, unit);
  std::string text = with_unit(extraction.sky_level(), unit) + ", noise " + noise;
  if (sky.mesh.width > 0)
    text += fmt::format("; {} × {} meshes, levels {:.6g} to {:.6g}", sky.mesh.width, sky.mesh.height,
                        sky.mesh.least_level, sky.mesh.most_level);
  return text;
}

std::string threshold_text(const Extraction& extraction, const std::string& unit) {
  const double above = extraction.levels.detection - extraction.levels.background;
  return std::isfinite(above) ? with_unit(above, unit) + " above the sky" : "none";
}

std::string masked_text(const Extraction& found) {
  return fmt::format("{} ({} NaN, {} infinite, {} BLANK, {} by weights, {} by the mask, {} by the map of the level)",
                     found.masked(), found.masked_nan, found.masked_infinite, found.masked_blank, found.masked_weight,
                     found.masked_mask, found.masked_level);
}

std::string run_text(const RunRecord& record) {
  const Execution& run = record.execution;
  const std::string where = record.result.backend == "cuda" && run.device
                                ? "on " + run.device->name
                                : "on the CPU, " + counted(run.cpu.threads, "thread");
  return fmt::format("{}, {:.3f} s {}", utc(record.start), record.seconds, where);
}

}  // namespace

std::string summary_html(const RunRecord& record, const std::string& pixel_unit) {
  const Extraction& found = record.result.extraction;
  const Shape& shape = record.input.first().shape;
  return xml_text(fmt::format("{} in {} × {} pixels; sky {}, noise {}", counted(found.sources.size(), "source"),
                              shape.width, shape.height, with_unit(found.sky_level(), pixel_unit),
                              with_unit(found.background.clipped.sigma, pixel_unit)));
}

std::string facts_html(const RunRecord& record, const std::string& pixel_unit) {
  const Extraction& found = record.result.extraction;
  const FitsImage& image = record.input.frame.image();
  std::string html = row_html("File", printable_name(record.input.file.path));
  html += row_html("HDU", std::to_string(image.hdu()) + (image.extname().empty() ? "" : ", " + image.extname()));
  for (const HeaderValue& value : record.input.keywords(record.config.config.output))
    if (value.keyword != "EXTNAME") html += row_html(value.keyword, value_text(value.value));
  html += row_html("Sky", sky_text(found, pixel_unit));
  if (record.input.positions == nullptr) html += row_html("Threshold", threshold_text(found, pixel_unit));
  html += row_html("Masked pixels", masked_text(found));
  html += record.input.positions == nullptr
              ? row_html("Sources", fmt::format("{}, from {} groups of pixels", found.sources.size(), found.detected))
              : row_html("Positions", fmt::format("{}, of {}", found.sources.size(),
                                                  printable_name(record.input.positions->list.path)));
  html += row_html("Sky positions",
                   record.result.no_sky_reason.empty() ? "by the WCS of the image" : record.result.no_sky_reason);
  html += row_html("Run", run_text(record));
  return html + row_html("Program", "srcextract " + program_version());
}

std::string times_html(const std::vector<StepTime>& times) {
  double most = 0, all = 0;
  for (const StepTime& time : times) {
    most = std::max(most, time.seconds);
    all += time.seconds;
  }
  std::string html;
  for (const StepTime& time : times) {
    const double share = most > 0 ? 100 * time.seconds / most : 0;
    html += fmt::format(
        "<tr><th scope=\"row\">{}</th><td class=\"number\">{:.2f}</td><td class=\"bars\"><span class=\"bar\" "
        "style=\"width:{:.1f}%\"></span></td></tr>\n",
        xml_text(time.step), 1e3 * time.seconds, share);
  }
  return html +
         fmt::format("<tr><th scope=\"row\">all</th><td class=\"number\">{:.2f}</td><td></td></tr>\n", 1e3 * all);
}

std::string completeness_html(const Completeness& completeness) {
  std::string html =
      "<section id=\"completeness\" aria-labelledby=\"of-completeness\">\n"
      "<h2 id=\"of-completeness\">Completeness</h2>\n<p>" +
      xml_text(describe_completeness(completeness)) + "</p>\n";
  if (completeness.bins.empty()) return html + "</section>\n";
  html +=
      "<div class=\"plots\">\n<figure class=\"scripted\"><canvas id=\"found\" role=\"img\" aria-label=\"Share of "
      "copies that were found, by magnitude\"></canvas><figcaption>Share of copies that were found, with its 68 % "
      "interval. "
      "Dashed: 50 and 90 %.</figcaption></figure>\n<table><thead><tr><th scope=\"col\">magnitude</th><th "
      "scope=\"col\">copies</th><th scope=\"col\">found</th><th scope=\"col\">share, %</th><th "
      "scope=\"col\">68 % interval</th></tr></thead>\n<tbody>\n";
  for (const CompletenessBin& bin : completeness.bins)
    html += fmt::format(
        "<tr><th scope=\"row\">{} to {}</th><td class=\"number\">{}</td><td class=\"number\">{}</td><td "
        "class=\"number\">{:.1f}</td><td class=\"number\">{:.1f} to {:.1f}</td></tr>\n",
        bin.low, bin.low + completeness_step, bin.copies, bin.found, 100 * bin.share, 100 * bin.least, 100 * bin.most);
  return html + "</tbody></table>\n</div>\n</section>\n";
}

std::string table_html(const std::vector<ReportColumn>& columns, const ReportLight& light, std::size_t rows) {
  const std::vector<std::size_t> shown = short_columns(columns);
  std::string html = "<thead><tr>";
  for (const std::size_t i : shown) {
    const ReportColumn& column = columns[i];
    html += "<th scope=\"col\" title=\"" + xml_text(column.description) + "\">" + xml_text(column.name) +
            (column.unit.empty() ? "" : " <small>" + xml_text(column.unit) + "</small>") + "</th>";
  }
  html += "</tr></thead>\n<tbody id=\"rows\">\n";
  for (std::size_t rank = 0; rank < std::min(rows, light.order.size()); ++rank) {
    html += "<tr>";
    for (const std::size_t i : shown) {
      std::string value = json_number(columns[i], columns[i].at(light.order[rank]));
      std::erase(value, '"');
      html += "<td>" + (value == "null" ? "–" : value) + "</td>";
    }
    html += "</tr>\n";
  }
  return html + "</tbody>\n";
}

std::string map_html(const std::string& title, const ReportPicture& picture, const std::string& pixel_unit,
                     bool is_flat_in_words) {
  const std::string name = xml_text(title);
  if (picture.is_constant && is_flat_in_words)
    return "<figure class=\"map\"><div class=\"flat\">" + xml_text(with_unit(picture.black, pixel_unit)) +
           "</div><figcaption><b>" + name + "</b>: one value for the whole image</figcaption></figure>\n";
  return "<figure class=\"map\"><img alt=\"" + name + "\" src=\"" + picture.address +
         fmt::format("\" width=\"{}\" height=\"{}\"><figcaption><b>{}</b>: black {}, white {}</figcaption></figure>\n",
                     picture.shape.width, picture.shape.height, name, xml_text(with_unit(picture.black, pixel_unit)),
                     xml_text(with_unit(picture.white, pixel_unit)));
}

}  // namespace srcextract
