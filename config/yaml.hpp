#pragma once

#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <map>
#include <string>

#include "config/values.hpp"
#include "stages/core/words.hpp"

namespace srcextract::config {

/// The origin of a piece of YAML: a file with lines and columns, or one setting of an option.
struct Origin {
  std::string name;
  bool has_lines;

  std::string at(const YAML::Mark& mark) const;
  /// Place of a value; an empty value is reported at its key.
  std::string at(const YAML::Node& value, const YAML::Mark& key) const;
};

/// Far more than a configuration or a file of numbers needs; it bounds the cost of a wrong file.
inline constexpr std::size_t most_bytes = std::size_t{1} << 20;

/// The text of a file: all of it up to 1 MiB, or 1 MiB and a byte of a larger one, which load_yaml refuses. Throws
/// Error{config} if it cannot be read.
std::string read_file(const std::string& path);

/// The only document of a YAML text; null if it is empty. Throws Error{config} if the text is no YAML, or larger than
/// any configuration of srcextract.
YAML::Node load_yaml(const std::string& text, const Origin& origin);

/// A node as a value, with the items of a list and their items; deeper lists are omitted, since no key has them.
Value to_value(const YAML::Node& node, const Origin& origin, const YAML::Mark& key);

/// Calls f(key node, value node) for each entry of a map, in order. yaml-cpp keeps both of two equal keys, so the
/// second is an error. `in` is appended to the message "duplicate key x".
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
