#include "config/config.hpp"

#include <algorithm>
#include <any>
#include <filesystem>
#include <utility>

#include "config/default_yaml.hpp"
#include "config/number_file.hpp"
#include "config/sections.hpp"
#include "stages/core/error.hpp"
#include "stages/settings/keys.hpp"

namespace srcextract {

using namespace config;  // for reading and writing YAML

namespace {

/// Name in error messages for a configuration that comes from no file.
const std::string default_name = "the default configuration";

Draft<Config> read_document(const std::string& text, const Origin& origin) {
  Draft<Config> draft;
  for_each_section(text, config_keys(), origin, [&](const YAML::Node& section, const YAML::Node& node) {
    read_section(draft, config_keys(), section.Scalar(), section.Mark(), node, origin);
  });
  return draft;
}

/// Sets the key that `setting` names (`section.key=value`). Returns the key's path.
std::string apply_override(Draft<Config>& draft, const std::string& setting, const std::string& option) {
  const Fields& known = config_keys();
  const Origin origin{option + (option.ends_with(':') ? "" : " ") + setting, false};
  const std::size_t equals = setting.find('=');
  const std::size_t dot = setting.find('.');
  if (equals == std::string::npos)
    fail(origin.name, "has no '='; write section.key=value, as in detection.threshold=4.5");
  if (std::min(dot, equals) == 0)
    fail(origin.name, "names no section; write section.key=value, as in detection.threshold=4.5");
  const std::string section = setting.substr(0, std::min(dot, equals));
  check_section(known, section, origin.name);
  if (dot > equals) {
    fail(origin.name,
         "'" + section + "' is a section; write section.key=value with one of its keys: " + keys_in(known, section));
  }
  const std::string key = setting.substr(dot + 1, equals - dot - 1);
  check_key(known, section, key, origin.name);
  const std::string text = setting.substr(equals + 1);
  if (text.starts_with('[') && text.find(']') == text.npos)
    fail(origin.name,
         "the [ is not closed; a value with blanks has to be quoted for the shell, as in --set "
         "'output.formats=[fits, csv]'");
  const YAML::Node node = load_yaml(text, origin);
  set_key(draft, section, key, node, origin, YAML::Mark::null_mark());
  return section + "." + key;
}

/// The default values, by the paths of their keys.
const std::map<std::string, std::any>& defaults() {
  static const std::map<std::string, std::any> values = [] {
    std::map<std::string, std::any> all;
    Draft<Config> usual;
    usual.for_each_key([&](const Field& field, const Member& member) { all.emplace(field.path(), member.copy()); });
    return all;
  }();
  return values;
}

/// Calls f for every key that has no use (Field::unused is not empty), and then sets the key to its default. Repeats
/// the pass until no key changes, since a default may leave further keys without use.
void put_aside(Draft<Config>& draft, const KeyVisitor& f) {
  for (bool again = true; again;) {
    again = false;
    draft.for_each_key([&](const Field& field, Member& member) {
      if (field.unused.empty()) return;
      f(field, member);
      member.set(defaults().at(field.path()));
      again = true;
    });
  }
}

/// Returns the keys set in a file, less the keys that have no use under the other settings of the file.
std::set<std::string> used_keys(Draft<Config> file) {
  std::set<std::string> used;
  for (const auto& [key, place] : file.set_at) used.insert(key);
  put_aside(file, [&](const Field& field, const Member&) { used.erase(field.path()); });
  return used;
}

/// Returns the configuration if every value is within its limits; else throws Error{config}. An error message about a
/// key that was not set begins with the place of another key of its section, or with `name` if none was set.
GivenConfig finished(Draft<Config> draft, std::set<std::string> used_in_file, const std::string& name) {
  GivenConfig given;
  draft.result.set_at = draft.set_at;
  given.written = draft.result;
  given.used_in_file = std::move(used_in_file);
  std::set<std::string> without_use;  // under the settings as they were given
  draft.for_each_key([&](const Field& field, const Member&) {
    if (!field.unused.empty()) without_use.insert(field.path());
  });
  std::map<std::string, std::string> cause;  // by section: why the key was put aside that others of it need
  put_aside(draft, [&](const Field& field, const Member& member) {
    const auto found = draft.set_at.find(field.path());
    const std::string& place = found == draft.set_at.end() ? name : found->second;
    check_limit(field, member, place);
    if (given.used_in_file.contains(field.path())) return;
    std::string message = place + ": '" + field.path() + "' " + field.unused;
    if (without_use.contains(field.path()))
      cause.emplace(field.section.name, message);
    else if (const auto first = cause.find(field.section.name); first != cause.end())
      message = first->second;
    given.unused.emplace(field.path(), std::move(message));
  });
  check_limits(draft, name);
  given.config = std::move(draft.result);
  return given;
}

/// Returns the settings of options, and what they imply: who names a file with a PSF wants no PSF made of the image,
/// even if the configuration says so.
std::vector<std::string> with_implied(std::vector<std::string> settings) {
  const auto sets = [&](const std::string& key) {
    return std::ranges::any_of(settings, [&](const std::string& setting) {
      return setting.starts_with(key + "=") && setting.size() > key.size() + 1;
    });
  };
  if (sets("psf.file") && !sets("psf.method")) settings.emplace_back("psf.method=file");
  return settings;
}

}  // namespace

Config parse_config(const std::string& yaml, const std::string& name, const std::vector<std::string>& overrides) {
  GivenConfig given = parse_given(yaml, name, set_overrides(overrides));
  require_use({given.unused});
  return std::move(given.config);
}

Overrides set_overrides(const std::vector<std::string>& settings) {
  return {"--set", settings};
}

GivenConfig parse_given(const std::string& yaml, const std::string& name, const Overrides& overrides) {
  Draft<Config> draft = read_document(yaml, {name, true});
  std::set<std::string> used = used_keys(draft);
  for (const std::string& setting : with_implied(overrides.settings))
    used.erase(apply_override(draft, setting, overrides.option));
  return finished(std::move(draft), std::move(used), name);
}

bool is_own_configuration(const std::string& path) {
  std::error_code failure;
  const std::filesystem::file_status there = std::filesystem::status(path, failure);
  return (path == "radio" || path == "crowd") && (!std::filesystem::exists(there) || is_directory(there));
}

GivenConfig load_given(const std::string& path, const Overrides& overrides) {
  if (is_own_configuration(path)) return parse_given(path == "radio" ? radio_yaml() : crowd_yaml(), path, overrides);
  if (!path.empty()) return parse_given(read_file(path), path, overrides);
  GivenConfig given = parse_given(default_yaml(), default_name, overrides);
  // Replaces line and column in each place by the key's name: users cannot look up lines of a configuration built into
  // the program.
  for (auto* const places : {&given.config.set_at, &given.written.set_at})
    for (auto& [key, place] : *places)
      if (place.starts_with(default_name)) place = key + " of " + default_name;
  return given;
}

GivenConfig override_given(const GivenConfig& given, const std::string& path, const Overrides& overrides) {
  const std::string& name = path.empty() ? default_name : path;
  Draft<Config> draft{given.written, given.written.set_at};
  std::set<std::string> own, used = given.used_in_file;
  for (const std::string& setting : with_implied(overrides.settings))
    own.insert(apply_override(draft, setting, overrides.option));
  for (const std::string& key : own) used.erase(key);
  GivenConfig result = finished(std::move(draft), std::move(used), name);
  for (const std::string& key : own)
    if (const auto found = result.unused.find(key); found != result.unused.end())
      throw Error(ErrorKind::config, found->second);
  return result;
}

void require_use(const std::vector<UnusedKeys>& of_all) {
  if (of_all.empty()) return;
  for (const auto& one : of_all.front())
    if (std::ranges::all_of(of_all, [&](const UnusedKeys& unused) { return unused.contains(one.first); }))
      throw Error(ErrorKind::config, one.second);
}

const Fields& config_keys() {
  static const Fields keys = Draft<Config>().fields();
  return keys;
}

void require_key(const std::string& section, const std::string& key, const std::string& place) {
  check_section(config_keys(), section, place);
  check_key(config_keys(), section, key, place);
}

std::vector<NamedFile> named_files(const Config& config) {
  std::vector<NamedFile> files;
  Draft(config).for_each_key([&](const Field& field, const Member& member) { member.add_files(field, files); });
  return files;
}

std::map<std::string, std::string> texts_of(const Config& config) {
  std::map<std::string, std::string> texts;
  Draft(config).for_each_key(
      [&](const Field& field, const Member& member) { texts.emplace(field.path(), member.text()); });
  return texts;
}

std::string dump_config(const Config& config) {
  Draft draft(config);
  return dump_sections(draft);
}

}  // namespace srcextract
