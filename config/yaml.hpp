#pragma once

#include <yaml-cpp/yaml.h>

#include <map>
#include <string>

#include "config/values.hpp"

namespace srcextract::config {

/// Where a piece of YAML comes from: a file, in which things stand at a line and column, or one setting of an option.
struct Origin {
  std::string name;
  bool has_lines;

  std::string at(const YAML::Mark& mark) const;
  /// Of a value; an empty one stands nowhere: it is reported at its key.
  std::string at(const YAML::Node& value, const YAML::Mark& key) const;
};

/// The text of a file of at most 1 MiB, and a byte more of a larger one, which load_yaml refuses. Throws Error{config}
/// if there is none.
std::string read_file(const std::string& path);

/// The one document of a YAML text; null if it is empty. Throws Error{config} if it is no YAML, or more than a
/// configuration of srcextract can be.
YAML::Node load_yaml(const std::string& text, const Origin& origin);

/// A node as a value, with the items of a list, and their own; what is in these is left out: no key holds such lists.
Value to_value(const YAML::Node& node, const Origin& origin, const YAML::Mark& key);

/// Calls f(key node, value node) for each entry of a map, in order. yaml-cpp keeps both of two equal keys: the second
/// is an error. `in` ends the message's "duplicate key x".
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

}  // namespace srcextract::config
