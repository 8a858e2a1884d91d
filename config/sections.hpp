#pragma once

#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/checks.hpp"
#include "config/yaml.hpp"

namespace srcextract::config {

// Sections of keys, as for_each_field declares them for a T, between YAML and a T.

/// A T on its way from the defaults to what the user asked for.
template <class T>
struct Draft {
  T result;
  std::map<std::string, std::string> set_at = {};  ///< the place of each key that was set, by its path
};

/// Reads the value of a field, whose key stands at `key`.
template <class Member>
void read_node(const YAML::Node& node, const Origin& origin, const YAML::Mark& key, const Field& field,
               Member& member) {
  const Value value = to_value(node, origin, key);
  if constexpr (std::is_same_v<Member, std::string>) {
    if (field.is_column) return read_column(value, field.path(), member);
    if (field.is_number) return read_number_or_path(value, field.path(), member);
    if (field.is_path) return read_path(value, field.path(), member);
  }
  if constexpr (std::is_same_v<Member, std::vector<std::string>>) {
    if (field.is_path) return read_paths(value, field.path(), member);
  }
  read_value(value, field.path(), member);
}
/// The same for a map from names of columns to others.
void read_node(const YAML::Node& node, const Origin& origin, const YAML::Mark& key, const Field& field,
               std::map<std::string, std::string>& member);

/// Throws Error{config} if the value of a field, whose key stands at `key`, is no list of maps of these keys.
void require_records(const YAML::Node& node, const Origin& origin, const YAML::Mark& key, const Field& field,
                     const Fields& known);

/// Reads a list of maps of keys. Where these were set goes into `set_at`, by paths as "flags.further[1].hdu".
template <class Record>
void read_records(const YAML::Node& node, const Origin& origin, const YAML::Mark& key, const Field& field,
                  std::vector<Record>& records, std::map<std::string, std::string>& set_at) {
  const std::string name = field.path();
  const Fields known = fields_of(Record{});
  require_records(node, origin, key, field, known);
  std::erase_if(set_at, [&](const auto& entry) { return entry.first.starts_with(name + "["); });
  records.clear();
  for (const YAML::Node& item : node) {
    Draft<Record> draft;
    read_section(draft, known, name, item.Mark(), item, origin);
    check_limits(draft, origin.at(item.Mark()));
    records.push_back(std::move(draft.result));
    for (const auto& [path, place] : draft.set_at)
      set_at[name + "[" + std::to_string(records.size()) + "]" + path.substr(name.size())] = place;
  }
}

template <class T>
void set_field(Draft<T>& draft, const std::string& section, const std::string& key, const YAML::Node& node,
               const Origin& origin, const YAML::Mark& mark) {
  for_each_field(draft.result, [&]<class Member>(const Field& field, Member& member) {
    if (field.section.name != section || field.key != key) return;
    if constexpr (is_list_of_records<Member>)
      read_records(node, origin, mark, field, member, draft.set_at);
    else
      read_node(node, origin, mark, field, member);
    draft.set_at[field.path()] = origin.at(node, mark);
  });
}

/// Throws Error{config} if the section that stands at `mark` is no map; `keys` says what could stand in it.
void check_section_holds(const YAML::Node& node, const std::string& section, const std::string& keys,
                         const YAML::Mark& mark, const Origin& origin);

/// Reads the keys of the section that stands at `mark`; `known` are the keys of the whole file.
template <class T>
void read_section(Draft<T>& draft, const Fields& known, const std::string& section, const YAML::Mark& mark,
                  const YAML::Node& node, const Origin& origin) {
  check_section(known, section, origin.at(mark));
  check_section_holds(node, section, keys_in(known, section), mark, origin);
  for_each_entry(node, origin, " in '" + section + "'", [&](const YAML::Node& key, const YAML::Node& value) {
    check_key(known, section, key.Scalar(), origin.at(key.Mark()));
    set_field(draft, section, key.Scalar(), value, origin, key.Mark());
  });
}

/// Calls f(section, its mark, node) for each section of a text, in order.
template <class F>
void for_each_section(const std::string& text, const Fields& known, const Origin& origin, F&& f) {
  const YAML::Node root = load_yaml(text, origin);
  if (root.IsNull()) return;
  if (!root.IsMap()) fail(origin.at(root.Mark()), "a configuration is a map of sections: " + all_sections(known));
  for_each_entry(root, origin, "",
                 [&](const YAML::Node& key, const YAML::Node& node) { f(key.Scalar(), key.Mark(), node); });
}

/// Throws Error{config} if a number is outside the limits of its field, if a value has a problem, or if a key was set
/// that has no use; `name` is blamed for keys of sections of which none was set.
template <class T>
void check_limits(const Draft<T>& draft, const std::string& name) {
  for_each_field(draft.result, [&](const Field& field, const auto& value) {
    const auto found = draft.set_at.find(field.path());
    if (found != draft.set_at.end()) check_use(field, found->second);
    // What is wrong with a key that was not set is said at another of its section.
    const auto nearest = found != draft.set_at.end() ? found : draft.set_at.lower_bound(field.section.name + ".");
    const bool in_section = nearest != draft.set_at.end() && nearest->first.starts_with(field.section.name + ".");
    const std::string& place = in_section ? nearest->second : name;
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>)
      check_limit(field, static_cast<double>(value), place);
    if (!field.unused.empty()) fail(place, "'" + field.path() + "' " + field.unused);
    if (!field.problem.empty()) fail(place, "'" + field.path() + "' " + field.problem);
  });
}

/// The sections as YAML, every key present; read_section reads them back to the same values.
template <class T>
std::string dump_sections(const T& t) {
  std::string yaml;
  std::string section;
  for_each_field(t, [&](const Field& field, const auto& value) {
    if (field.section.name != section) yaml += field.section.name + ":\n";
    section = field.section.name;
    yaml += "  " + field.key + ": " + format_value(value) + "\n";
  });
  return yaml;
}

}  // namespace srcextract::config
