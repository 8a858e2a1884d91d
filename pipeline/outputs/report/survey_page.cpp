#include "pipeline/outputs/report/survey_page.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "io/files/xml_text.hpp"
#include "pipeline/log/printable.hpp"
#include "pipeline/machine/versions.hpp"
#include "pipeline/outputs/report/page_text.hpp"
#include "pipeline/outputs/report/report_files.hpp"
#include "pipeline/outputs/report/survey_failures.hpp"
#include "pipeline/outputs/report/survey_numbers.hpp"
#include "pipeline/outputs/report/survey_plots.hpp"
#include "pipeline/outputs/report/survey_rows.hpp"
#include "stages/core/counted.hpp"

namespace srcextract {
namespace {

/// Rows that a reader without JavaScript sees.
constexpr std::size_t plain_images = 25;

// Limits of parts of the page, which together are less than most_report_bytes.
constexpr std::size_t most_failure_bytes = 150'000, most_row_bytes = 800'000, most_units = 20;
constexpr std::size_t most_warnings = 50, most_warning_bytes = 500;

/// The name of the survey's catalogue, also of a directory.
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

/// Least, median and most of what images have, by unit.
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
  return fill_page(survey_page(), {{"mark", survey_page_mark},
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
