#include "pipeline/outputs/report/report_quality.hpp"

#include <spdlog/fmt/fmt.h>

#include <cmath>
#include <vector>

#include "io/files/xml_text.hpp"

namespace srcextract {
namespace {

std::string begin_section(const std::string& id, const std::string& title, const std::string& text) {
  return fmt::format("<section id=\"{0}\" aria-labelledby=\"of-{0}\">\n<h2 id=\"of-{0}\">{1}</h2>\n<p>{2}</p>\n", id,
                     title, xml_text(text));
}

/// A table as HTML. The first cell of each row is a heading: the range of magnitude or S/N.
std::string table_of(const std::string& caption, const std::vector<std::string>& head,
                     const std::vector<std::vector<std::string>>& rows) {
  std::string html = "<table class=\"ranges\">" +
                     (caption.empty() ? "" : "<caption>" + xml_text(caption) + "</caption>") + "<thead><tr>";
  for (const std::string& name : head) html += "<th scope=\"col\">" + xml_text(name) + "</th>";
  html += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : rows) {
    html += "<tr><th scope=\"row\">" + row.front() + "</th>";
    for (std::size_t i = 1; i < row.size(); ++i) html += "<td class=\"number\">" + row[i] + "</td>";
    html += "</tr>\n";
  }
  return html + "</tbody></table>\n";
}

std::string percent(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f}", 100 * share) : "–";
}
std::string interval(double least, double most) {
  return std::isfinite(least) ? fmt::format("{:.1f} to {:.1f}", 100 * least, 100 * most) : "–";
}
std::string pull(const MedianAndWidth& of) {
  return std::isfinite(of.width) ? fmt::format("{:.2f} ± {:.2f}", of.median, of.width) : "–";
}

/// The cells of a table row: the range, the number of copies, the number of found copies, the share, and the share's
/// interval.
std::vector<std::string> cells_of(const std::string& range, const FoundShare& of) {
  return {range, std::to_string(of.copies), std::to_string(of.found), percent(of.share), interval(of.least, of.most)};
}

/// The section about completeness: a text, a plot that the page's script draws, and a table. A table with more than 5
/// columns is below the plot, else beside the plot.
std::string found_html(const std::string& text, const std::vector<std::string>& head,
                       const std::vector<std::vector<std::string>>& rows) {
  constexpr std::size_t most_beside = 5;
  const std::string html = begin_section("completeness", "Completeness", text);
  if (rows.empty()) return html + "</section>\n";
  const std::string table = table_of("", head, rows);
  return html +
         "<div class=\"plots\">\n<figure class=\"scripted\"><canvas id=\"found\" role=\"img\" aria-label=\"Share of "
         "copies that were found\"></canvas><figcaption>Share of copies that were found, with its 68 % interval. "
         "Dashed: 50 and 90 %.</figcaption></figure>\n" +
         (head.size() > most_beside
              ? "</div>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Completeness by S/N\">\n" +
                    table + "</div>\n"
              : table + "</div>\n") +
         "</section>\n";
}

std::string completeness_html(const Completeness& completeness) {
  std::vector<std::vector<std::string>> rows;
  for (const CompletenessBin& bin : completeness.bins)
    rows.push_back(cells_of(fmt::format("{} to {}", bin.low, bin.low + completeness_step), bin));
  return found_html(describe_completeness(completeness), {"magnitude", "copies", "found", "share, %", "68 % interval"},
                    rows);
}

std::string injection_html(const Injection& injection) {
  std::vector<std::vector<std::string>> rows;
  for (const InjectionBin& bin : injection.bins) {
    std::vector<std::string> row = cells_of(fmt::format("{:g} to {:g}", bin.low, bin.high), bin);
    row.insert(row.end(), {percent(bin.peak_ratio.median - 1), percent(bin.total_ratio.median - 1),
                           pull(bin.pulls[injected_peak]), pull(bin.pulls[injected_total])});
    rows.push_back(row);
  }
  return found_html(describe_injection(injection),
                    {"S/N", "injected", "found", "share, %", "68 % interval", "bias of peaks, %", "of totals, %",
                     "pulls of peaks", "of totals"},
                    rows);
}

std::string crowd_html(const std::vector<CrowdBin>& bins) {
  if (bins.empty())
    return begin_section("completeness", "Completeness",
                         "Not measured. With --set crowd.inject=1000, stars of known flux are added to the image, and "
                         "this page has the share of them that is found.") +
           "</section>\n";
  std::vector<std::vector<std::string>> rows;
  const auto relative = [](double value, double flux) {
    return std::isfinite(value) ? fmt::format("{:.1f}", 100 * value / flux) : "–";
  };
  for (const CrowdBin& bin : bins)
    rows.push_back({fmt::format("{:.4g}", bin.flux), std::to_string(bin.added), std::to_string(bin.found),
                    percent(bin.completeness()), relative(bin.bias, bin.flux), relative(bin.scatter, bin.flux)});
  return begin_section("completeness", "Completeness",
                       "Stars of the PSF were added to the image, and found or not. Bias and scatter are of their "
                       "fluxes.") +
         "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Completeness by flux\">\n" +
         table_of("", {"flux", "added", "found", "share, %", "bias, %", "scatter, %"}, rows) + "</div>\n</section>\n";
}

std::string reliability_table(const std::string& caption, const std::vector<ReliabilityBin>& bins) {
  std::vector<std::vector<std::string>> rows;
  for (const ReliabilityBin& bin : bins) {
    const std::string range =
        std::isfinite(bin.high) ? fmt::format("{:g} to {:g}", bin.low, bin.high) : fmt::format("above {:g}", bin.low);
    rows.push_back({range, std::to_string(bin.positive), std::to_string(bin.negative), percent(bin.share),
                    interval(bin.least, bin.most)});
  }
  return rows.empty()
             ? ""
             : table_of(caption, {"S/N", "sources", "in the negated map", "reliability, %", "68 % interval"}, rows);
}

std::string reliability_html(const Reliability& of) {
  return begin_section("reliability", "Reliability",
                       "Where the noise is symmetric, the negated map has as many sources as the map has false ones.") +
         "<div class=\"pair\">\n" + reliability_table(of.near.empty() ? "" : "Elsewhere", of.elsewhere) +
         reliability_table(fmt::format("Within {:.0f} pixels of sources above {:g} σ", of.within, very_bright_snr),
                           of.near) +
         "</div>\n</section>\n";
}

}  // namespace

QualityParts quality_parts(const RunRecord& record) {
  QualityParts parts;
  const auto add = [&](const std::string& id, const std::string& name, const std::string& section) {
    parts.links += fmt::format("<a href=\"#{}\">{}</a> ", id, name);
    parts.sections += section;
  };
  if (record.completeness) add("completeness", "Completeness", completeness_html(*record.completeness));
  if (record.injection != nullptr) add("completeness", "Completeness", injection_html(*record.injection));
  if (const auto& crowd = record.result.extraction.crowd; crowd && record.input.positions == nullptr)
    add("completeness", "Completeness", crowd_html(crowd->bins));
  const auto& fitted = record.result.extraction.fitted;
  if (fitted && fitted->reliability) add("reliability", "Reliability", reliability_html(*fitted->reliability));
  return parts;
}

}  // namespace srcextract
