#include "config/config.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "config/fields.hpp"
#include "config/overrides.hpp"
#include "config/sections.hpp"

namespace srcextract {

using namespace config;  // what reading and writing YAML is made of

namespace {

constexpr const char* set_option = "--set";

void read_document(Draft<Config>& draft, const std::string& text, const Origin& origin) {
  const Fields known = fields_of(Config{});
  for_each_section(text, known, origin,
                   [&](const std::string& section, const YAML::Mark& mark, const YAML::Node& node) {
                     read_section(draft, known, section, mark, node, origin);
                   });
}

void apply_override(Draft<Config>& draft, const std::string& setting, const std::string& option) {
  const Fields known = fields_of(Config{});
  const Origin origin{option + (option.ends_with(':') ? "" : " ") + setting, false};
  const std::size_t equals = setting.find('=');
  const std::size_t dot = setting.find('.');
  if (equals == std::string::npos)
    fail(origin.name, "has no '='; write section.key=value, as in detection.threshold=4.5");
  const std::string section = setting.substr(0, std::min(dot, equals));
  check_section(known, section, origin.name);
  if (dot > equals) {
    fail(origin.name,
         "'" + section + "' is a section; write section.key=value with one of its keys: " + keys_in(known, section));
  }
  const std::string key = setting.substr(dot + 1, equals - dot - 1);
  check_key(known, section, key, origin.name);
  const YAML::Node node = load_yaml(setting.substr(equals + 1), origin);
  set_field(draft, section, key, node, origin, YAML::Mark::null_mark());
}

/// The configuration, if every value is within its limits; `name` is blamed for those that were not set.
Config finished(Draft<Config> draft, const std::string& name) {
  check_limits(draft, name);
  draft.result.set_at = std::move(draft.set_at);
  return std::move(draft.result);
}

}  // namespace

Config parse_config(const std::string& yaml, const std::string& name, const std::vector<std::string>& overrides) {
  Draft<Config> draft;
  read_document(draft, yaml, {name, true});
  for (const std::string& setting : overrides) apply_override(draft, setting, set_option);
  return finished(std::move(draft), name);
}

Config override_config(const Config& config, const std::string& name, const std::vector<std::string>& overrides) {
  return override_config(config, name, Overrides{set_option, overrides});
}

Config override_config(const Config& config, const std::string& name, const Overrides& overrides) {
  Draft<Config> draft{config, config.set_at};
  for (const std::string& setting : overrides.settings) apply_override(draft, setting, overrides.option);
  return finished(std::move(draft), name);
}

Config load_config(const std::string& path, const std::vector<std::string>& overrides) {
  return parse_config(read_file(path), path, overrides);
}

std::optional<double> given_number(const std::string& text) {
  return number_in(text);
}

namespace {

/// The files that keys of a T name.
template <class Record>
void add_named_files(const Record& record, std::vector<std::string>& files) {
  for_each_field(record, [&]<class T>(const Field& field, const T& value) {
    if constexpr (is_list_of_records<T>)
      for (const auto& item : value) add_named_files(item, files);
    if (!field.is_path) return;
    if constexpr (std::is_same_v<T, std::string>)
      if (!value.empty() && !(field.is_number && number_in(value))) files.push_back(value);
    if constexpr (std::is_same_v<T, std::vector<std::string>>) files.insert(files.end(), value.begin(), value.end());
  });
}

}  // namespace

std::vector<std::string> named_files(const Config& config) {
  std::vector<std::string> files;
  add_named_files(config, files);
  return files;
}

std::string dump_config(const Config& config) {
  return dump_sections(config);
}

}  // namespace srcextract
