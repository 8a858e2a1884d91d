#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "config/config.hpp"
#include "config/values.hpp"
#include "sextractor/columns.hpp"
#include "sextractor/text_file.hpp"
#include "sextractor/translation.hpp"
#include "sextractor/write_yaml.hpp"
#include "stages/core/error.hpp"
#include "stages/core/words.hpp"
#include "stages/settings/problems.hpp"

namespace srcextract::sextractor {
namespace {

constexpr const char* draft_name = "config.yaml";

/// Records as unmet: unknown keys and columns, settings that a later setting replaces, and keys without a counterpart
/// in srcextract that are not recorded yet.
void name_the_rest(const Request& request, Translation& to) {
  for (const UnknownName& key : request.configuration.unknown())
    to.unmet.push_back({key.name, key.place, "SExtractor has no such key, and passes over the line", false});
  for (const UnknownName& column : request.unknown)
    to.unmet.push_back({column.name, column.place, "SExtractor has no such column, and passes over the line", false});
  for (const Setting& setting : request.configuration.settings()) {
    const std::string name(setting.key->name), why(setting.key->ours);
    const bool named = std::ranges::any_of(
        to.unmet, [&](const Unmet& unmet) { return unmet.what == name || unmet.what.starts_with(name + " "); });
    if (!setting.before.empty())
      to.unmet.push_back({name, setting.before, "set again later, which is what counts", false});
    if (!setting.is_set() || named || setting.key->fate == SextractorFate::kept) continue;
    if (setting.key->fate == SextractorFate::idle)
      to.pass_over({&setting}, why);
    else if (setting.is_usual())
      to.pass_over({&setting}, "as it always is here");
    else
      to.lose(setting, why);
  }
}

/// The line number at the beginning of an error message about the draft configuration; 0 if there is none.
std::size_t line_of(std::string_view message) {
  const std::string begin = std::string(draft_name) + ":";
  std::size_t line = 0;
  if (message.starts_with(begin)) std::from_chars(message.data() + begin.size(), message.data() + message.size(), line);
  return line;
}

/// The message without the leading `file:line: `.
std::string without_place(std::string_view message) {
  const std::size_t blank = message.find(": ");
  return std::string(message.substr(blank == message.npos ? 0 : blank + 2));
}

/// The default value of an entry's key, as YAML.
std::string usual_value(const Entry& entry) {
  const std::string usual = "\n" + dump_config(Config{}), key = "\n  " + entry.key + ": ";
  const std::size_t section = usual.find("\n" + entry.section + ":\n");
  const std::size_t begin = usual.find(key, section) + key.size();
  return usual.substr(begin, usual.find('\n', begin) - begin);
}

/// Parses the entries as a configuration of srcextract. If parsing fails at an entry (its value exceeds srcextract's
/// limits, for example), the entry is removed and recorded as unmet, and parsing is repeated.
Config accepted(Translation& to) {
  sort_by_section(to.entries);
  for (;;) {
    std::vector<std::size_t> lines;
    const std::string draft = entries_as_yaml(to.entries, lines);
    try {
      return parse_config(draft, draft_name);
    } catch (const Error& error) {
      const auto found = std::ranges::find(lines, line_of(error.what()));
      if (error.kind() != ErrorKind::config || found == lines.end()) throw;
      const auto entry = to.entries.begin() + (found - lines.begin());
      std::string what = quoted(entry->section + "." + entry->key);
      if (!entry->origins.empty()) what = entry->origins.front();
      to.unmet.push_back({what, entry->place,
                          without_place(error.what()) + "; without it the default holds, " + usual_value(*entry),
                          true});
      to.entries.erase(entry);
    }
  }
}

/// Adds the entry output.columns with those requested columns that are valid together with the other entries. Records
/// the others as unmet.
void put_columns(const Request& request, Translation& to) {
  Config config = accepted(to);
  config.output.columns.clear();
  for (const std::string& name : to.columns) {
    config.output.columns.push_back(name);
    const std::string problem = config::columns_problem(config);
    if (problem.empty()) continue;
    config.output.columns.pop_back();
    const auto asked = std::ranges::find_if(request.parameters, [&](const Parameter& parameter) {
      return our_column(parameter.name) == name.substr(0, name.find('('));
    });
    to.unmet.push_back({name, asked == request.parameters.end() ? "" : asked->place,
                        "the column cannot be there: output.columns " + problem, true});
  }
  if (config.output.columns.empty())
    config::fail(request.parameters_path,
                 "of the columns that it asks for srcextract has none; docs/catalogue.md lists them");
  const std::string value = config::format_value(config.output.columns);
  to.entries.push_back({.section = "output",
                        .key = "columns",
                        .value = value,
                        .origins = {request.parameters_path},
                        .note = "in the order of srcextract"});
}

}  // namespace

std::vector<Unmet> by_reason(const std::vector<Unmet>& unmet, bool counts) {
  std::vector<Unmet> groups;
  for (const Unmet& one : unmet) {
    if (one.counts != counts) continue;
    const auto same = std::ranges::find_if(groups, [&](const Unmet& group) { return group.reason == one.reason; });
    if (same == groups.end())
      groups.push_back(one);
    else
      same->what += ", " + one.what;
  }
  return groups;
}

void Translation::put(const std::string& path, const std::string& value, const std::vector<const Setting*>& from,
                      const std::string& note) {
  const std::size_t dot = path.find('.');
  Entry entry{.section = path.substr(0, dot),
              .key = path.substr(dot + 1),
              .value = value,
              .origins = {},
              .note = note,
              .place = from.empty() ? "" : from.front()->place};
  for (const Setting* setting : from)
    entry.origins.push_back(setting->text() + (setting->is_set() ? "" : " (SExtractor's default)"));
  entries.push_back(std::move(entry));
}

void Translation::lose(const Setting& setting, const std::string& reason) {
  unmet.push_back({setting.text(), setting.place, reason, true});
}

void Translation::lose_detection(const Setting& setting, const std::string& what,
                                 const std::vector<std::string>& settings) {
  std::string reason =
      "one configuration is for both images, here " + what + " of the one that is measured; for DETECT add";
  for (const std::string& one : settings) reason += " --detect-set " + one;
  unmet.push_back({setting.text(), setting.place, reason, true, settings});
}

void Translation::lose(const Parameter& parameter, const std::string& reason) {
  unmet.push_back({parameter.text(), parameter.place, reason, true});
}

void Translation::pass_over(const std::vector<const Setting*>& settings, const std::string& reason) {
  for (const Setting* setting : settings)
    if (setting->is_set()) unmet.push_back({setting->text(), setting->place, reason, false});
}

Request read_request(const std::string& configuration, const std::string& parameters) {
  return make_request(read_configuration(configuration), configuration, parameters);
}

Request make_request(Configuration configuration, const std::string& path, const std::string& parameters,
                     const OnMistake& on_mistake) {
  Request request{std::move(configuration), path, parameters, {}, {}};
  const Setting& name = request["PARAMETERS_NAME"];
  if (parameters.empty()) request.parameters_path = find_file(name.word(), path);
  if (!request.parameters_path.empty())
    request.parameters = read_parameters(request.parameters_path, request.unknown, on_mistake);
  else if (!name.is_usual())
    config::fail(name.place, "PARAMETERS_NAME " + name.word() + ": " + no_such_file +
                                 "; name the list of columns by it, or by --param of convert-config" +
                                 name.further_words());
  return request;
}

Translation translate(const Request& request) {
  Translation to;
  translate_sky(request, to);
  translate_weights(request, to);
  translate_detection(request, to);
  translate_measurement(request, to);
  translate_output(request, to);
  name_the_rest(request, to);
  if (!request.parameters.empty()) put_columns(request, to);
  accepted(to);
  return to;
}

}  // namespace srcextract::sextractor
