#include "pipeline/outputs/report/survey_page.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "io/files/xml_text.hpp"
#include "pipeline/log/printable.hpp"
#include "pipeline/machine/versions.hpp"
#include "pipeline/outputs/report/page_text.hpp"
#include "pipeline/outputs/report/report_files.hpp"
#include "pipeline/outputs/report/survey_numbers.hpp"
#include "pipeline/outputs/report/survey_plots.hpp"
#include "pipeline/outputs/report/survey_rows.hpp"
#include "stages/core/ascii.hpp"
#include "stages/core/counted.hpp"
#include "survey/inputs/name_hash.hpp"
#include "survey/merge/merge_images.hpp"
#include "survey/merge/survey_facts.hpp"

namespace srcextract {
namespace {

constexpr char file_mark = '\1', number_mark = '\2';

void replace_all(std::string& text, const std::string& part, char mark) {
  if (part.empty()) return;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; ++at) text.replace(at, part.size(), 1, mark);
}

/// The kind and the reason of a failure, with marks in place of file names and numbers, so that similar failures have
/// equal patterns.
std::string pattern_of(const ImageRecord& record) {
  std::string reason = record.reason;
  replace_all(reason, std::filesystem::path(record.path).filename(), file_mark);
  std::string pattern, word;
  for (const char c : reason + ' ') {
    if (c != ' ') {
      const bool repeats = is_digit(c) && !word.empty() && word.back() == number_mark;
      if (!repeats) word += is_digit(c) ? number_mark : c;
      continue;
    }
    const bool names_file = word.find(file_mark) != word.npos || word.find('/') != word.npos;
    pattern += names_file ? std::string(1, file_mark) : word;
    pattern += ' ';
    word.clear();
  }
  return record.kind + '\n' + pattern;
}

/// An image that failed, and the hash of the failure's pattern.
struct FailedImage {
  std::uint64_t pattern;
  std::uint32_t image;
};

/// Images whose failures have the same pattern: a range of the sorted failures, and the first image of the range.
struct FailureGroup {
  std::size_t begin, count;
  std::uint32_t first;
};

std::vector<FailureGroup> groups_of(const std::vector<FailedImage>& failed) {
  std::vector<FailureGroup> groups;
  for (std::size_t i = 0; i < failed.size(); ++i) {
    if (i == 0 || failed[i].pattern != failed[i - 1].pattern) groups.push_back({i, 0, failed[i].image});
    ++groups.back().count;
  }
  std::ranges::sort(groups, [](const FailureGroup& a, const FailureGroup& b) {
    return std::tie(b.count, a.first) < std::tie(a.count, b.first);
  });
  return groups;
}

std::string group_html(const SurveyFacts& facts, const std::vector<FailedImage>& failed, const FailureGroup& group) {
  constexpr std::size_t most_reason = 400;
  const ImageRecord first = facts.images[group.first].record;
  const std::string names = first_few(group.count, [&](std::size_t i) {
    return shortened(image_text(facts.images[failed[group.begin + i].image].record), most_name_bytes);
  });
  return fmt::format("<tr><td>{}</td><td class=\"number\">{}</td><td>{}{}</td><td>{}</td></tr>\n",
                     xml_text(printable(first.kind)), group.count,
                     xml_text(shortened(printable(first.reason), most_reason)),
                     group.count > 1 ? " <small>(the first of them)</small>" : "", xml_text(names));
}

/// The section of failures as HTML; empty if no image failed. Failures are grouped by kind and by reason; reasons in
/// one group differ only in file names and numbers. The largest group comes first, with the names of ten images. After
/// about `most_bytes`, groups are only counted. Takes 16 bytes of memory per failed image.
std::string failures_html(const SurveyFacts& facts, std::size_t most_bytes) {
  std::vector<FailedImage> failed;
  for (std::uint32_t i = 0; i < facts.images.size(); ++i) {
    const ImageRecord record = facts.images[i].record;
    if (!record.done) failed.push_back({name_hash(pattern_of(record)), i});
  }
  if (failed.empty()) return "";
  std::ranges::sort(failed, [](const FailedImage& a, const FailedImage& b) {
    return std::tie(a.pattern, a.image) < std::tie(b.pattern, b.image);
  });
  const std::vector<FailureGroup> groups = groups_of(failed);
  std::string rows;
  std::size_t shown = 0, images = 0;
  for (; shown < groups.size() && rows.size() < most_bytes; ++shown) {
    rows += group_html(facts, failed, groups[shown]);
    images += groups[shown].count;
  }
  std::string html =
      "<section id=\"failures\" aria-labelledby=\"of-failures\">\n<h2 id=\"of-failures\">Failures</h2>\n"
      "<p>When the reasons are mended, the same <code>srcextract batch</code> with <code>--retry-failed</code> tries "
      "these "
      "images again, and no others. <code>failures.csv</code> lists them.</p>\n"
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Failures by reason\">\n<table class=\"texts\">\n"
      "<thead><tr><th scope=\"col\">Kind</th><th scope=\"col\">Images</th><th scope=\"col\">Reason</th>"
      "<th scope=\"col\">Names</th></tr></thead>\n<tbody>\n" +
      rows + "</tbody>\n</table>\n</div>\n";
  if (shown < groups.size())
    html += fmt::format("<p class=\"note\">{} more of {} are not shown here.</p>\n",
                        counted(static_cast<std::int64_t>(groups.size() - shown), "reason"),
                        counted(static_cast<std::int64_t>(failed.size() - images), "image"));
  return html + "</section>\n";
}

/// Number of table rows that a reader without JavaScript sees.
constexpr std::size_t plain_images = 25;

// Limits for parts of the page, chosen so that the page has less than most_report_bytes.
constexpr std::size_t most_failure_bytes = 150'000, most_row_bytes = 800'000, most_units = 20;
constexpr std::size_t most_warnings = 50, most_warning_bytes = 500;

/// The last component of the path of the survey's catalogue, which may be a directory.
std::string survey_name(const SurveyFacts& facts) {
  const std::filesystem::path path(facts.output);
  return shortened(printable_name(path.has_filename() ? path : path.parent_path()), most_name_bytes);
}

std::string summary_text(const SurveyNumbers& numbers) {
  const auto images = static_cast<std::int64_t>(numbers.images());
  return fmt::format("{}, {} failed; {}", counted(images, "image"), numbers.failed, counted(numbers.sources, "source"));
}

std::string range_html(const std::string& name, const std::string& unit, const ValueRange& range) {
  if (range.count == 0) return "";
  return fmt::format(
      "<tr><th scope=\"row\">{}{}</th><td class=\"number\">{:.6g}</td><td class=\"number\">{:.6g}</td>"
      "<td class=\"number\">{:.6g}</td><td class=\"number\">{}</td></tr>\n",
      name, unit.empty() ? "" : " <small>" + xml_text(unit) + "</small>", range.least, range.median, range.most,
      range.count);
}

/// Table rows as HTML with the minimum, median and maximum of each quantity, for each pixel unit.
std::string ranges_html(const SurveyNumbers& numbers) {
  std::string html = range_html("Sources in an image", "", range_of(numbers, ImageValue::sources, 0));
  for (std::uint32_t unit = 0; unit < std::min(numbers.units.size(), most_units); ++unit) {
    const std::string name = shortened(printable(numbers.units[unit]), 80);
    html += range_html("Level of the sky", name, range_of(numbers, ImageValue::level, unit));
    html += range_html("Noise of the sky", name, range_of(numbers, ImageValue::noise, unit));
  }
  return html;
}

std::vector<std::string> shown_warnings(const SurveyFacts& facts) {
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(facts.warnings.size(), most_warnings); ++i)
    shown.push_back(shortened(printable(facts.warnings[i]), most_warning_bytes));
  if (facts.warnings.size() > most_warnings)
    shown.push_back(fmt::format("{} more are not shown here.", facts.warnings.size() - most_warnings));
  return shown;
}

std::string shown_text(const SurveyNumbers& numbers, const SurveyRows& rows) {
  const std::size_t images = numbers.images(), others = images - rows.count;
  if (others == 0)
    return numbers.failed > 0 ? "Those that failed come first, then the others, the farthest from the median first."
                              : "The farthest from the median come first.";
  const bool all_failed = static_cast<std::int64_t>(rows.failed) == numbers.failed;
  const std::string failed = all_failed ? "" : std::to_string(rows.failed) + " of ";
  return fmt::format("{}{} that failed, and the {} of the others that are farthest from the median. {} not shown.",
                     failed, counted(numbers.failed, "image"), rows.count - rows.failed,
                     counted(static_cast<std::int64_t>(others), "image") + (others == 1 ? " is" : " are"));
}

std::string data_json(const SurveyFacts& facts, const SurveyNumbers& numbers, const SurveyRows& rows, double first) {
  const std::string unit = numbers.units.size() == 1 ? shortened(printable(numbers.units.front()), 80) : "";
  return fmt::format(
      "{{\"images\":{},\"unit\":{},\n\"columns\":{},\n\"sources\":{},\n\"level\":{},\n\"noise\":{},\n\"failed\":{},\n"
      "\"histogram\":{},\n\"map\":{},\n\"sky\":[{}],\n\"links\":[{}],\n\"rows\":[{}]}}",
      numbers.images(), json_text(unit), rows.columns, series_json(numbers, ImageValue::sources),
      series_json(numbers, ImageValue::level), series_json(numbers, ImageValue::noise), failed_json(numbers),
      histogram_json(numbers), map_json(facts.places, first), rows.sky, rows.links, rows.rows);
}

}  // namespace

std::string make_survey_page(const SurveyFacts& facts) {
  const SurveyNumbers numbers = survey_numbers(facts);
  const double first = first_ra(facts.places);
  const SurveyRows rows = survey_rows(facts, numbers, first, plain_images, most_row_bytes);
  const bool has_places = std::ranges::any_of(facts.places, &SkyPlace::is_known);
  return fill_page(survey_page(), {{"mark", std::string("\n") + survey_page_mark},
                                   {"of", "images"},
                                   {"name", xml_text(survey_name(facts))},
                                   {"style", report_style()},
                                   {"script", survey_script()},
                                   {"summary", xml_text(summary_text(numbers))},
                                   {"version", xml_text(program_version())},
                                   {"warnings", warnings_html(shown_warnings(facts))},
                                   {"failures", failures_html(facts, most_failure_bytes)},
                                   {"to_failures", numbers.failed > 0 ? "<a href=\"#failures\">Failures</a> " : ""},
                                   {"ranges", ranges_html(numbers)},
                                   {"map_hidden", has_places ? "" : " hidden"},
                                   {"rows_shown", xml_text(shown_text(numbers, rows))},
                                   {"table", rows.html},
                                   {"data", data_json(facts, numbers, rows, first)}});
}

}  // namespace srcextract
