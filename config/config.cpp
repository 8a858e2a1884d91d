#include "config/config.hpp"

#include <type_traits>
#include <utility>

#include "config/overrides.hpp"
#include "config/sections.hpp"
#include "stages/settings/keys.hpp"

namespace srcextract {

using namespace config;  // for reading and writing YAML

Config parse_config(const std::string& yaml, const std::string& name, const std::vector<std::string>& overrides) {
  GivenConfig given = parse_given(yaml, name, set_overrides(overrides));
  require_use({given.unused});
  return std::move(given.config);
}

namespace {

/// Adds the files that keys of a record name.
template <class Record>
void add_named_files(const Record& record, std::vector<std::string>& files) {
  for_each_field(record, [&]<class T>(const Field& field, const T& value) {
    if constexpr (is_list_of_records<T>)
      for (const auto& item : value) add_named_files(item, files);
    if (!field.is_path) return;
    if constexpr (std::is_same_v<T, std::string>)
      if (!value.empty() && !(field.is_number && given_number(value))) files.push_back(value);
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
