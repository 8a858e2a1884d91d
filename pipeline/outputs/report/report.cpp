#include "pipeline/outputs/report/report.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "io/files/xml_text.hpp"
#include "pipeline/log/printable.hpp"
#include "pipeline/machine/utc.hpp"
#include "pipeline/machine/versions.hpp"
#include "pipeline/outputs/components/component_table.hpp"
#include "pipeline/outputs/report/page_text.hpp"
#include "pipeline/outputs/report/report_data.hpp"
#include "pipeline/outputs/report/report_files.hpp"
#include "pipeline/outputs/report/report_pictures.hpp"
#include "pipeline/outputs/report/report_quality.hpp"
#include "pipeline/outputs/report_columns.hpp"
#include "pipeline/outputs/run_record.hpp"
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

std::string masked_text(const MaskCounts& masked) {
  return fmt::format("{} ({} NaN, {} infinite, {} BLANK, {} by weights, {} by the mask, {} by the map of the level)",
                     masked.total(), masked.nan, masked.infinite, masked.blank, masked.weight, masked.mask,
                     masked.level);
}

std::string run_text(const RunRecord& record) {
  const Execution& run = record.execution;
  const std::string where = record.result.backend == "cuda" && run.device
                                ? "on " + run.device->name
                                : "on the CPU, " + counted(run.cpu.threads, "thread");
  return fmt::format("{}, {:.3f} s {}", utc(record.start), record.seconds, where);
}

/// The line below the title: number of sources, size of the image, level and noise of the sky.
std::string summary_html(const RunRecord& record, const std::string& pixel_unit) {
  const Extraction& found = record.result.extraction;
  const Shape& shape = record.input.first().shape;
  if (found.difference) {
    const auto fainter = std::ranges::count(found.sources[columns::sign], -1);
    const auto& fit = found.difference->fit;
    return xml_text(fmt::format("{} less {}: {} brighter, {} fainter, in {} × {} pixels; noise of the difference {}{}",
                                printable_name(record.input.name), printable_name(record.input.reference->path),
                                found.sources.size() - fainter, fainter, shape.width, shape.height,
                                with_unit(found.background.clipped.sigma, pixel_unit),
                                fit ? fmt::format("; left at the kernel's stars: χ {:.3g}", fit->chi_median) : ""));
  }
  std::string what = counted(found.sources.size(), "source");
  if (found.fitted)
    what = counted(std::ssize(found.fitted->gaussians), "Gaussian") + " of " +
           counted(std::ssize(found.fitted->sources), "source");
  return xml_text(fmt::format("{} in {} × {} pixels; sky {}, noise {}", what, shape.width, shape.height,
                              with_unit(found.sky_level(), pixel_unit),
                              with_unit(found.background.clipped.sigma, pixel_unit)));
}

/// Table rows about a difference: the frame that was subtracted, the kernel, and the residuals at the kernel's stars.
std::string difference_html(const RunRecord& record) {
  const DifferenceFacts& facts = *record.result.extraction.difference;
  const std::string reference = row_html("Reference", printable_name(record.input.reference->path));
  if (!facts.fit) return reference + row_html("Its light was multiplied by", fmt::format("{:.5g}", facts.scale));
  const FitFacts& fit = *facts.fit;
  const std::string kernel =
      row_html("Kernel", fmt::format("from {} of {} stars, fitted to the {} frame; stars are {:.3g} pixels wide in "
                                     "the reference and {:.3g} in the new frame",
                                     fit.used, fit.stamps, fit.convolved_new ? "new" : "reference", fit.reference_fwhm,
                                     fit.new_fwhm));
  return reference + kernel +
         row_html("Left at its stars", fmt::format("χ {:.3g} in the middle, 95 % below {:.3g}; 1 is noise alone",
                                                   fit.chi_median, fit.chi_p95));
}

/// Table rows with facts about the image, the header, the sky and the run.
std::string facts_html(const RunRecord& record, const std::string& pixel_unit) {
  const Extraction& found = record.result.extraction;
  const FitsImage& image = record.input.frame.image();
  std::string html = found.difference ? difference_html(record) : "";
  html += row_html("File", printable_name(record.input.file.path));
  html += row_html("HDU", std::to_string(image.hdu()) + (image.extname().empty() ? "" : ", " + image.extname()));
  for (const HeaderValue& value : record.input.keywords(record.config.config.output))
    if (value.keyword != "EXTNAME") html += row_html(value.keyword, value_text(value.value));
  html += row_html("Sky", sky_text(found, pixel_unit));
  if (record.input.positions == nullptr) html += row_html("Threshold", threshold_text(found, pixel_unit));
  if (const BeamConfig& beam = record.input.config().beam; found.fitted)
    html += row_html("Beam", fmt::format("{:.4g} × {:.4g} arcseconds at {:.4g}° from north through east", beam.fwhm[0],
                                         beam.fwhm[1], beam.angle));
  html += row_html("Masked pixels", masked_text(found.masked));
  html += record.input.positions == nullptr
              ? row_html("Sources", fmt::format("{}, from {} groups of pixels", found.sources.size(), found.detected))
              : row_html("Positions", fmt::format("{}, of {}", found.sources.size(),
                                                  printable_name(record.input.positions->list.path)));
  html += row_html("Sky positions",
                   record.result.no_sky_reason.empty() ? "by the WCS of the image" : record.result.no_sky_reason);
  html += row_html("Run", run_text(record));
  return html + row_html("Program", "srcextract " + program_version());
}

/// Adds up the times of steps that have the same name. The sums are in the order in which each name first occurs.
std::vector<StepTime> by_name(const std::vector<StepTime>& times) {
  std::vector<StepTime> sums;
  for (const StepTime& time : times) {
    const auto same = std::ranges::find(sums, time.step, &StepTime::step);
    if (same == sums.end())
      sums.push_back(time);
    else
      same->seconds += time.seconds;
  }
  return sums;
}

std::string times_html(const std::vector<StepTime>& of_steps) {
  const std::vector<StepTime> times = by_name(of_steps);
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

/// An HTML table of the first `rows` sources of light.order, which are the brightest.
std::string table_html(const std::vector<ReportColumn>& columns, const ReportLight& light, std::size_t rows) {
  const std::vector<std::size_t> shown = short_columns(columns);
  std::string html = "<thead><tr>";
  for (const std::size_t i : shown) html += head_cell(columns[i].name, columns[i].unit, columns[i].description);
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

/// An HTML figure of a map with the range of values. For a map with a single value, a text instead, unless the script
/// needs the picture: then it has an `id`.
std::string map_html(const std::string& title, const ReportPicture& picture, const std::string& pixel_unit,
                     const std::string& id = "") {
  const std::string name = xml_text(title);
  if (picture.is_constant && id.empty())
    return "<figure class=\"map\"><div class=\"flat\">" + xml_text(with_unit(picture.black, pixel_unit)) +
           "</div><figcaption><b>" + name + "</b>: one value for the whole image</figcaption></figure>\n";
  return "<figure class=\"map\"><img " + (id.empty() ? "" : "id=\"" + id + "\" ") + "alt=\"" + name + "\" src=\"" +
         picture.address +
         fmt::format("\" width=\"{}\" height=\"{}\"><figcaption><b>{}</b>: black {}, white {}</figcaption></figure>\n",
                     picture.shape.width, picture.shape.height, name, xml_text(with_unit(picture.black, pixel_unit)),
                     xml_text(with_unit(picture.white, pixel_unit)));
}

/// Number of table rows that a reader without JavaScript sees.
constexpr std::size_t plain_rows = 25;

/// Limit in bytes on the configuration on the page, since kernels can have thousands of values. run.json has all
/// values.
constexpr std::size_t most_yaml_bytes = 60'000;

std::string yaml_html(std::string yaml) {
  if (yaml.size() > most_yaml_bytes) {
    yaml.resize(most_yaml_bytes);
    yaml += "\n# (cut: run.json, of --record, has all)\n";
  }
  std::string html;
  append_xml(html, yaml);
  for (std::size_t at = 0; (at = html.find("&#10;", at)) != html.npos;) html.replace(at, 5, "\n");
  return html;
}

/// `of`: what a row is, as in "source".
std::string shown_text(std::size_t shown, std::size_t all, const std::string& of) {
  if (all == 0) return "There is none.";
  if (shown == all)
    return (all > 1 ? "All " : "") + counted(static_cast<std::int64_t>(all), of.c_str()) + ", the brightest first.";
  return fmt::format("The {} brightest of {} {}s; the catalogue has all.", shown, all, of);
}

/// Hidden elements with the pictures of all stamps, from which the script cuts single stamps.
std::string stamps_html(const ReportPictures& pictures) {
  const auto hidden = [](const char* id, const std::optional<ReportPicture>& picture) {
    return picture ? fmt::format("<img id=\"{}\" alt=\"\" hidden src=\"{}\">\n", id, picture->address) : "";
  };
  return hidden("stamps", pictures.stamps) + hidden("stamps-reference", pictures.reference_stamps) +
         hidden("stamps-new", pictures.new_stamps);
}

/// The cut-outs of the selected source: of the image, or of both frames and their difference.
std::string cutouts_html(const ReportPictures& pictures) {
  const auto canvas = [](const std::string& id, const std::string& of) {
    return "<canvas id=\"" + id + "\" role=\"img\" aria-label=\"Cut-out around the selected source" + of +
           "\"></canvas>";
  };
  const std::string note = "<p id=\"cutout-note\" class=\"note\"></p>\n";
  if (!pictures.new_stamps) return "<div class=\"cutouts\">" + canvas("cutout", "") + "</div>\n" + note;
  const auto figure = [&](const std::string& id, const std::string& name) {
    return "<figure>" + canvas(id, ", " + name) + "<figcaption>" + name + "</figcaption></figure>";
  };
  return "<div class=\"cutouts three\">" + figure("cutout-reference", "reference") + figure("cutout-new", "new") +
         figure("cutout", "difference") + "</div>\n" + note;
}

std::string maps_html(const ReportPictures& pictures, const std::string& unit) {
  std::string html = map_html("Sky", pictures.sky, unit) + map_html("Noise", pictures.noise, unit);
  if (pictures.reference) html += map_html("Reference", *pictures.reference, unit, "whole-reference");
  if (pictures.fresh) html += map_html("New frame", *pictures.fresh, unit, "whole-new");
  if (pictures.residual)
    html += map_html(
        pictures.residual_of_fit ? "Residual, without sky and what was fitted" : "Residual, without sky and sources",
        *pictures.residual, unit, "residual");
  return html;
}

}  // namespace

std::string make_report(const RunRecord& record, const CatalogMetadata& metadata) {
  const Extraction& extraction = record.result.extraction;
  const Config& config = record.config.config;
  const Cpu& where = record.execution.cpu;
  const auto& fitted = extraction.fitted;
  const auto sources = fitted ? fitted->gaussians.size() : static_cast<std::size_t>(extraction.sources.size());
  const bool at_positions = record.input.positions != nullptr;
  std::vector<ReportColumn> columns =
      fitted ? component_columns(component_table(ComponentTable::gaul, *fitted, record.input.header(),
                                                 metadata.pixel_unit, record.input.config(), where),
                                 fitted->gaussians)
             : report_columns(extraction.sources, metadata);
  // At given positions, and in a crowd, columns that the catalogue leaves out have meaningless values, of a source of
  // one pixel.
  if (at_positions || extraction.crowd)
    std::erase_if(columns, [](const ReportColumn& column) { return !column.is_written; });
  const double zero_point = record.input.config().measurement.zero_point;
  if (zero_point == 0)
    for (ReportColumn& column : columns)
      if (column.unit == "mag") column.unit = "mag, instrumental";
  ReportLight light = fitted ? component_light(columns, sources) : report_light(columns, sources, zero_point);
  if (!fitted && zero_point == 0) light.magnitude += " (instrumental)";
  const ReportPictures pictures = render_pictures(extraction, columns, light.order, config.quicklook, where);
  const std::string name = printable_name(record.input.name), &unit = metadata.pixel_unit;
  const QualityParts quality = quality_parts(record);
  std::map<std::string, std::string, std::less<>> parts = {
      {"mark", ""},
      {"name", xml_text(name)},
      {"of", fitted ? "Gaussians" : "sources"},
      {"style", report_style()},
      {"script", report_script()},
      {"summary", summary_html(record, unit)},
      {"warnings", warnings_html(record.result.warnings)},
      {"image", pictures.image.address},
      {"image_size",
       fmt::format("width=\"{}\" height=\"{}\"", pictures.image.shape.width, pictures.image.shape.height)},
      {"stamps", stamps_html(pictures)},
      {"cutouts", cutouts_html(pictures)},
      {"table", table_html(columns, light, plain_rows)},
      {"completeness_link", quality.links},
      {"completeness", quality.sections},
      {"maps", maps_html(pictures, unit)},
      {"times", times_html(record.result.times)},
      {"facts", facts_html(record, unit)},
      {"config", yaml_html(record.config.yaml)}};
  std::size_t bytes = report_page().size();
  for (const auto& [part, text] : parts) bytes += text.size() + (part == "name" ? 2 * text.size() : 0);
  constexpr std::size_t reserve = 10'000;  // for the sentence about the number of rows
  const std::size_t room = most_report_bytes - std::min(most_report_bytes, bytes + reserve);
  const Completeness* const completeness = record.completeness ? &*record.completeness : nullptr;
  ReportData data = report_data({.extraction = extraction,
                                 .config = config,
                                 .columns = columns,
                                 .light = light,
                                 .pictures = pictures,
                                 .name = name,
                                 .pixel_unit = unit,
                                 .has_threshold = !at_positions,
                                 .completeness = completeness,
                                 .injection = record.injection,
                                 .header = record.input.header()},
                                room, where);
  parts["rows_shown"] = xml_text(shown_text(data.rows, sources, fitted ? "Gaussian" : "source"));
  parts["data"] = std::move(data.json);
  return fill_page(report_page(), parts);
}

OutputFile write_report(const std::string& path, const RunRecord& record, const CatalogMetadata& metadata) {
  OutputFile file(path);
  file.write(make_report(record, metadata));
  return file;
}

}  // namespace srcextract
