#include "pipeline/compare/compare_text.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "pipeline/log/printable.hpp"
#include "stages/core/counted.hpp"

namespace srcextract {
namespace {

constexpr std::size_t offenders_shown = 3, reasons_shown = 20;
constexpr double arcsec = 3600;  // per degree

/// Number of terminal columns of `text`, counting one column per UTF-8 character.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

/// A table of text in aligned columns. The first two columns are left-aligned, the others right-aligned.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> head) { rows_.push_back(std::move(head)); }
  void add(std::vector<std::string> row) {
    for (std::string& cell : row) cell = printable(cell);
    rows_.push_back(std::move(row));
  }
  bool empty() const { return rows_.size() == 1; }

  std::string text() const {
    std::vector<std::size_t> widths(rows_.front().size(), 0);
    for (const auto& row : rows_) {
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
    }
    std::string out;
    for (const auto& row : rows_) {
      std::string line = "  ";
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string blanks(widths[i] - width_of(row[i]), ' ');
        line += (i < 2 ? row[i] + blanks : blanks + row[i]) + "  ";
      }
      out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return out;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string number(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.4g}", value);
}
std::string percent(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.4g}", 100 * value);
}

std::string radius_text(const Comparison& comparison) {
  const bool pixel = comparison.frame == Frame::pixel;
  const char* frame = pixel ? "pixel" : "sky";
  if (comparison.radius_in_sigma) return fmt::format("by {} within {:g} sigma", frame, comparison.radius);
  return pixel ? fmt::format("by {} within {:g} pixels", frame, comparison.radius)
               : fmt::format("by {} within {:g} arcsec", frame, comparison.radius * arcsec);
}

std::string differences(const Comparison& comparison) {
  TextTable table(
      {"COLUMN", "UNIT", "PAIRS", "MEDIAN", "SCATTER", "MEDIAN %", "SCATTER %", "MEDIAN/σ", "SCATTER/σ", "OUTLIERS"});
  for (const ColumnComparison& column : comparison.columns) {
    table.add({column.name, column.unit, std::to_string(column.pairs), number(column.absolute.median),
               number(column.absolute.scatter), percent(column.relative.median), percent(column.relative.scatter),
               number(column.in_sigma.median), number(column.in_sigma.scatter), std::to_string(column.outliers)});
  }
  return "\nDifferences, new - reference (scatter: 1.4826 MAD)\n" + table.text();
}

std::string slope(const Trend& trend) {
  if (std::isnan(trend.slope)) return "-";
  return fmt::format("{:.2g} ± {:.1g}", trend.slope, trend.error);
}

bool runs(const Trend& trend) {
  return !std::isnan(trend.slope) && trend.slope != 0;
}

std::string trends(const Comparison& comparison) {
  TextTable table({"COLUMN", "UNIT", "PER DEX OF FLUX", "ALONG X", "ALONG Y"});
  for (const ColumnComparison& column : comparison.columns) {
    if (runs(column.with_flux) || runs(column.with_x) || runs(column.with_y))
      table.add({column.name, column.difference == Difference::relative ? "1" : column.unit, slope(column.with_flux),
                 slope(column.with_x), slope(column.with_y)});
  }
  return table.empty() ? "" : "\nTrends (slope ± its error)\n" + table.text();
}

std::string offenders(const Comparison& comparison) {
  std::string text;
  for (const ColumnComparison& column : comparison.columns) {
    if (column.outliers == 0) continue;
    for (std::size_t i = 0; i < std::min(column.worst.size(), offenders_shown); ++i) {
      const Offender& row = column.worst[i];
      text +=
          fmt::format("  {}: row {} ({} in the reference) at {:.2f}, {:.2f}: {:.7g}, reference {:.7g}\n",
                      printable(column.name), row.new_row, row.reference_row, row.x, row.y, row.other, row.reference);
    }
  }
  return text.empty() ? "" : "\nLargest outliers\n" + text;
}

std::string reasons(const FileComparison& file, const char* indent) {
  if (!file.failure.empty()) return indent + printable(file.failure) + "\n";
  std::string text;
  const std::vector<Finding>& findings = file.comparison.findings;
  for (std::size_t i = 0; i < std::min(findings.size(), reasons_shown); ++i) {
    const Finding& finding = findings[i];
    text += fmt::format("{}{}: {}\n", indent, printable(finding.subject), printable(finding.words));
  }
  if (findings.size() > reasons_shown)
    text += fmt::format("{}and {} more; --json has all\n", indent, findings.size() - reasons_shown);
  return text;
}

/// Lists each distinct note of all files once, with the name of the first file that has it and the number of other
/// files.
std::string notes_of(const std::vector<FileComparison>& files) {
  std::map<std::string, std::vector<std::string>> names;
  for (const FileComparison& file : files) {
    for (const std::string& note : file.comparison.notes) names[note].push_back(file.name);
  }
  std::string text;
  for (const auto& [note, of] : names) {
    const std::string more = of.size() > 1 ? fmt::format(" and {} more", of.size() - 1) : "";
    text += fmt::format("{}{}: {}\n", printable(of.front()), more, printable(note));
  }
  return text.empty() ? "" : text + "\n";
}

/// Columns of which pairs have numbers.
std::int64_t compared(const FileComparison& file) {
  return std::ranges::count_if(file.comparison.columns, [](const ColumnComparison& one) { return one.pairs > 0; });
}

}  // namespace

bool is_equal(const FileComparison& file) {
  const SourceComparison& sources = file.comparison.sources;
  return file.within() && file.comparison.notes.empty() && compared(file) > 0 && sources.matched == sources.reference &&
         sources.matched == sources.other &&
         std::ranges::all_of(file.comparison.columns, [](const ColumnComparison& one) { return one.unequal == 0; });
}

std::string format_equal(const FileComparison& file) {
  return fmt::format("{} and {} are equal ({}, {} of numbers compared): within the rules\n", printable(file.reference),
                     printable(file.other), counted(file.comparison.sources.matched, "row"),
                     counted(compared(file), "column"));
}

std::string format_tables(const FileComparison& file) {
  const Comparison& comparison = file.comparison;
  const SourceComparison& sources = comparison.sources;
  std::string text = fmt::format(
      "reference {}: {} rows, {} duplicated\nnew       {}: {} rows, {} duplicated\n{} matched {}, {} lost, {} new\n",
      printable(file.reference), sources.reference, sources.reference_duplicates, printable(file.other), sources.other,
      sources.new_duplicates, sources.matched, radius_text(comparison), sources.lost, sources.gained);
  if (comparison.same_image) text += "of the same pixels, as the positions show: noise plays no part\n";
  return text + format_notes(file) + differences(comparison) + trends(comparison) + offenders(comparison) + "\n";
}

std::string format_notes(const FileComparison& file) {
  std::string text;
  for (const std::string& note : file.comparison.notes) text += printable(note) + "\n";
  return text;
}

std::string format_verdict(const FileComparison& file) {
  if (file.within()) return "within the rules\n";
  return "BEYOND THE RULES, " + counted(std::ssize(file.comparison.findings), "reason") + ":\n" + reasons(file, "  ");
}

std::string format_files(const std::vector<FileComparison>& files) {
  std::size_t width = 0;
  std::vector<std::string> beyond;
  for (const FileComparison& file : files) width = std::max(width, file.name.size());
  std::string text;
  for (const FileComparison& file : files) {
    const SourceComparison& sources = file.comparison.sources;
    if (!file.within()) beyond.push_back(printable(file.name));
    text += fmt::format("{}  {:<{}}", file.within() ? "within" : "BEYOND", printable(file.name), width);
    if (file.failure.empty())
      text += fmt::format("  {} matched, {} lost, {} new", sources.matched, sources.lost, sources.gained);
    text += "\n" + (file.within() ? "" : reasons(file, "          "));
  }
  const std::string names = first_few(beyond.size(), [&](std::size_t i) { return beyond[i]; });
  return text + "\n" + notes_of(files) + (beyond.empty() ? "" : "beyond the rules: " + names + "\n") +
         fmt::format("{} of {} catalogues within the rules\n", files.size() - beyond.size(), files.size());
}

}  // namespace srcextract
