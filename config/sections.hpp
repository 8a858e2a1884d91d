#pragma once

#include <yaml-cpp/yaml.h>

#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/checks.hpp"
#include "config/values.hpp"
#include "stages/core/words.hpp"

namespace srcextract::config {

// Functions that read and write sections of YAML keys for any struct T for which for_each_field is defined.

/// The source of a YAML text: a file, whose lines and columns messages name, or one setting of a command line option.
struct Origin {
  std::string name;
  bool has_lines;

  std::string at(const YAML::Mark& mark) const {
    if (!has_lines || mark.is_null()) return name;
    return name + ":" + std::to_string(mark.line + 1) + ":" + std::to_string(mark.column + 1);
  }
  /// Returns the place of a value for messages; if the value is empty, the place of its key.
  std::string at(const YAML::Node& value, const YAML::Mark& key) const {
    return at(value.IsNull() ? key : value.Mark());
  }
};

/// Parses a YAML text that holds at most one document; the node is null if the text is empty. Throws Error{config} if
/// the text is no valid YAML, or larger than 1 MiB.
YAML::Node load_yaml(const std::string& text, const Origin& origin);

/// Converts a node to a Value. `levels` is the depth of nested lists to convert; deeper lists stay empty, since no key
/// has them. `key` is the position of the node's key.
Value to_value(const YAML::Node& node, const Origin& origin, const YAML::Mark& key, int levels = 2);

/// Calls f(key node, value node) for each entry of a map, in order. Throws Error{config} at a duplicate key, since
/// yaml-cpp keeps both entries. `in` is appended to the message "duplicate key x", as " in 'match'".
template <class F>
void for_each_entry(const YAML::Node& map, const Origin& origin, const std::string& in, F&& f) {
  std::map<std::string, std::string> seen;
  for (const auto& entry : map) {
    const std::string place = origin.at(entry.first.Mark());
    if (!entry.first.IsScalar()) fail(place, "a key must be a word");
    const std::string& key = entry.first.Scalar();
    const auto [first, is_new] = seen.emplace(key, place);
    if (!is_new) fail(place, "duplicate key " + quoted(key) + in + "; it stands at " + first->second + " already");
    f(entry.first, entry.second);
  }
}

/// A partly read T; keys that were not set hold their defaults.
template <class T>
struct Draft {
  T result;
  /// the place where each key was set, by the key's path `section.key`
  std::map<std::string, std::string> set_at = {};
};

/// Reads `node` into `member`, the value of `field`; `key` is the position of the field's key.
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
/// Reads a map from column names to other names into `member`; `key` is the position of the field's key.
void read_node(const YAML::Node& node, const Origin& origin, const YAML::Mark& key, const Field& field,
               std::map<std::string, std::string>& member);

/// Throws Error{config} unless `node` is a list of maps. `known` are the keys that the message offers; `key` is the
/// position of the field's key.
void require_records(const YAML::Node& node, const Origin& origin, const YAML::Mark& key, const Field& field,
                     const Fields& known);

/// Reads a list of maps into `records`, one record for each map. Adds the place of each key to `set_at`, under paths
/// such as "flags.further[1].hdu", with an index from 1.
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

/// Throws Error{config} if the section at `mark` is no map. `keys` lists the section's keys for the message, as "a, b,
/// c".
void check_section_holds(const YAML::Node& node, const std::string& section, const std::string& keys,
                         const YAML::Mark& mark, const Origin& origin);

/// Reads the keys of the section `section`, which begins at `mark`. `known` are the valid keys of all sections.
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

/// Calls f(name of the section, position of its name, node) for each section of a YAML text, in order.
template <class F>
void for_each_section(const std::string& text, const Fields& known, const Origin& origin, F&& f) {
  const YAML::Node root = load_yaml(text, origin);
  if (root.IsNull()) return;
  if (!root.IsMap()) fail(origin.at(root.Mark()), "a configuration is a map of sections: " + all_sections(known));
  for_each_entry(root, origin, "",
                 [&](const YAML::Node& key, const YAML::Node& node) { f(key.Scalar(), key.Mark(), node); });
}

/// Throws Error{config} if a number is outside the limits of its field, a value has a problem, or a key without use was
/// set. If no key of a section was set, messages about that section begin with `name`.
template <class T>
void check_limits(const Draft<T>& draft, const std::string& name) {
  for_each_field(draft.result, [&](const Field& field, const auto& value) {
    const auto found = draft.set_at.find(field.path());
    if (found != draft.set_at.end()) check_use(field, found->second);
    // For a key that was not set, the message names the place of another key of its section.
    const auto nearest = found != draft.set_at.end() ? found : draft.set_at.lower_bound(field.section.name + ".");
    const bool in_section = nearest != draft.set_at.end() && nearest->first.starts_with(field.section.name + ".");
    const std::string& place = in_section ? nearest->second : name;
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>)
      check_limit(field, static_cast<double>(value), place);
    if (!field.unused.empty()) fail(place, "'" + field.path() + "' " + field.unused);
    if (!field.problem.empty()) fail(place, "'" + field.path() + "' " + field.problem);
  });
}

/// Returns all sections of `t` as YAML, with every key. read_section() reads equal values from the text.
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
