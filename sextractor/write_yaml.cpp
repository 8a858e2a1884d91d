#include "sextractor/write_yaml.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "stages/core/words.hpp"

namespace srcextract::sextractor {
namespace {

constexpr std::size_t widest = 120;

/// The text as comment lines of at most `widest` characters; lines after the first are indented by `hanging`. Control
/// characters, which YAML forbids, become blanks.
std::string comment(std::string text, const std::string& indent, const std::string& hanging = "") {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < ' ' || c == 127; }, ' ');
  std::string result, begin = indent + "# ";
  for (std::string_view rest = text; !rest.empty(); begin = indent + "# " + hanging) {
    const std::size_t room = widest - begin.size();
    std::size_t end = rest.size() <= room ? rest.size() : rest.rfind(' ', room);
    if (end == rest.npos) end = std::min(rest.find(' '), rest.size());
    result += begin + std::string(rest.substr(0, end)) + "\n";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return result;
}

std::size_t rank(const std::string& section) {
  constexpr std::array<std::string_view, 9> order = {"input",     "background", "weights",     "flags", "convolve",
                                                     "detection", "deblend",    "measurement", "output"};
  return static_cast<std::size_t>(std::ranges::find(order, section) - order.begin());
}

std::string said_of(const Entry& entry) {
  std::string text = join(entry.origins);
  if (!entry.note.empty()) text += (text.empty() ? "" : "; ") + entry.note;
  return text;
}

std::string list_of(const Translation& translation, bool counts) {
  std::string text;
  for (const Unmet& unmet : by_reason(translation.unmet, counts))
    text +=
        comment("- " + (unmet.place.empty() ? "" : unmet.place + ": ") + unmet.what + ": " + unmet.reason, "", "  ");
  return text;
}

}  // namespace

void sort_by_section(std::vector<Entry>& entries) {
  std::ranges::stable_sort(entries, {}, [](const Entry& entry) { return rank(entry.section); });
}

std::string entries_as_yaml(const std::vector<Entry>& entries, std::vector<std::size_t>& lines) {
  std::string yaml = "extends: none\n\n", section;
  lines.clear();
  for (const Entry& entry : entries) {
    if (entry.section != section) yaml += (section.empty() ? "" : "\n") + entry.section + ":\n";
    section = entry.section;
    yaml += comment(said_of(entry), "  ");
    lines.push_back(static_cast<std::size_t>(std::ranges::count(yaml, '\n')) + 1);
    yaml += "  " + entry.key + ": " + entry.value + "\n";
  }
  return yaml;
}

std::string as_yaml(const Request& request, const Translation& translation) {
  const std::string columns = request.parameters_path.empty() ? "" : ", with the columns of " + request.parameters_path;
  std::string yaml = comment("The settings of " + request.path + columns +
                                 ", as keys of srcextract. Above each key is the key of SExtractor that it comes from. "
                                 "docs/sextractor.md says how near the catalogues are.",
                             "");
  if (const std::string lost = list_of(translation, true); !lost.empty())
    yaml += "#\n# Settings that could not be honoured:\n" + lost;
  if (const std::string idle = list_of(translation, false); !idle.empty())
    yaml += "#\n# Settings that change no catalogue:\n" + idle;
  std::vector<std::size_t> lines;
  return yaml + "\n" + entries_as_yaml(translation.entries, lines);
}

}  // namespace srcextract::sextractor
