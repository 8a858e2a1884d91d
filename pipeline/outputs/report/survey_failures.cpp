#include "pipeline/outputs/report/survey_failures.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <tuple>
#include <vector>

#include "io/files/xml_text.hpp"
#include "pipeline/log/printable.hpp"
#include "pipeline/outputs/report/survey_rows.hpp"
#include "stages/core/ascii.hpp"
#include "stages/core/counted.hpp"
#include "survey/inputs/name_hash.hpp"
#include "survey/merge/merge_images.hpp"

namespace srcextract {
namespace {

constexpr char file_mark = '\1', number_mark = '\2';

void replace_all(std::string& text, const std::string& part, char mark) {
  if (part.empty()) return;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; ++at) text.replace(at, part.size(), 1, mark);
}

/// The reason without names of files and numbers: equal for images that failed alike.
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

/// An image that failed, and its group.
struct FailedImage {
  std::uint64_t pattern;
  std::uint32_t image;
};

/// Images that failed alike: a range of all.
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

}  // namespace

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

}  // namespace srcextract
