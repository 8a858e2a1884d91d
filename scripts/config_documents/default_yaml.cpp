#include "scripts/config_documents/default_yaml.hpp"

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

#include "config/config.hpp"
#include "scripts/config_documents/schema_types.hpp"

namespace srcextract::documents {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  std::istringstream stream(text);
  Lines lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The line of the key in the YAML text `lines`, or the end if the key is absent.
Lines::const_iterator find_key(const Lines& lines, const config::Field& field) {
  auto line = std::ranges::find(lines, field.section.name + ":");
  if (line == lines.end()) return line;
  const auto in_section = [](const std::string& text) { return text.empty() || text[0] == ' ' || text[0] == '#'; };
  while (++line != lines.end() && in_section(*line))
    if (line->starts_with("  " + field.key + ":")) return line;
  return lines.end();
}

/// The text as comment lines of YAML, without Markdown backticks, indented by `indent`.
Lines comment(const std::string& indent, const std::string& text) {
  constexpr std::size_t most_columns = 120;
  Lines lines;
  std::istringstream words(plain(text));
  for (std::string word; words >> word;) {
    if (lines.empty() || lines.back().size() + 1 + word.size() > most_columns) lines.push_back(indent + "#");
    lines.back() += " " + word;
  }
  lines.back() += ".";
  return lines;
}

}  // namespace

std::string default_yaml(const std::string& text) {
  Lines lines = lines_of(text);
  const Lines defaults = lines_of(dump_config(Config{}));
  auto before = lines.cend();
  std::string section;
  for (const config::Field& field : config_keys()) {
    if (std::exchange(section, field.section.name) != field.section.name) {
      before = std::ranges::find(std::as_const(lines), section + ":");
      if (before == lines.cend()) {
        Lines head = comment("", field.section.description);
        head.insert(head.begin(), "");
        head.push_back(section + ":");
        before = lines.insert(lines.cend(), head.begin(), head.end()) + std::ssize(head) - 1;
      }
    }
    auto line = find_key(lines, field);
    if (line == lines.cend()) {
      Lines entry = comment("  ", field.description);
      entry.push_back(*find_key(defaults, field));
      line = lines.insert(before + 1, entry.begin(), entry.end()) + std::ssize(entry) - 1;
    }
    before = line;
  }
  std::string whole;
  for (const std::string& line : lines) whole += line + "\n";
  return whole;
}

}  // namespace srcextract::documents
