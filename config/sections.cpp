#include "config/sections.hpp"
#include "stages/core/words.hpp"

namespace srcextract::config {
namespace {

/// Reads the name of one column; patterns are errors.
std::string read_one_column(const Value& value, const std::string& name) {
  std::string text;
  read_column(value, name, text);
  if (text.find('*') != std::string::npos) fail(value.place, "'" + name + "' must be one name, not " + quoted(text));
  return text;
}

/// A hint if a section holds a text that begins with one of `keys`: a colon may be missing.
std::string missing_colon(const YAML::Node& node, const std::string& keys) {
  const std::string text = node.IsScalar() ? node.Scalar() : "";
  const std::size_t blank = text.find(' ');
  const std::string key = text.substr(0, blank);
  if (blank == text.npos || (", " + keys + ",").find(", " + key + ",") == text.npos) return "";
  return "; is a colon missing after '" + key + "'?";
}

}  // namespace

void check_section_holds(const YAML::Node& node, const std::string& section, const std::string& keys,
                         const YAML::Mark& mark, const Origin& origin) {
  if (node.IsNull())
    fail(origin.at(mark), "section '" + section + "' is empty; give it a key, indented below it, or leave it out");
  if (!node.IsMap())
    fail(origin.at(node.Mark()),
         "'" + section + "' is a section and must hold keys: " + keys + missing_colon(node, keys));
}

void require_records(const YAML::Node& node, const Origin& origin, const YAML::Mark& key, const Field& field,
                     const Fields& known) {
  const std::string name = field.path(), keys = keys_in(known, name);
  const auto advice = [&](const YAML::Node& item) {
    const std::string what = item.IsScalar() ? quoted(item.Scalar())
                             : item.IsMap()  ? "a map"
                             : item.IsNull() ? "nothing"
                                             : "a list";
    return what + "; write [{KEY: " + (item.IsScalar() ? item.Scalar() : "value") + "}] with one of its keys, " + keys;
  };
  if (node.IsNull() || node.IsSequence())
    require_list(to_value(node, origin, key), name);
  else
    fail(origin.at(node, key), "'" + name + "' must be a list of maps of keys, not " + advice(node));
  for (const YAML::Node& item : node)
    if (!item.IsMap()) fail(origin.at(item.Mark()), "'" + name + "' must hold maps of keys, not " + advice(item));
}

void read_node(const YAML::Node& node, const Origin& origin, const YAML::Mark& key, const Field& field,
               std::map<std::string, std::string>& member) {
  const std::string name = field.path();
  if (!node.IsMap()) {
    fail(origin.at(node, key), "'" + name + "' must be a map of names, as in {X_IMAGE: xcentroid}");
  }
  member.clear();
  for_each_entry(node, origin, " in '" + name + "'", [&](const YAML::Node& from, const YAML::Node& to) {
    const std::string word = read_one_column(to_value(from, origin, from.Mark()), name + ".NAME");
    member[word] = read_one_column(to_value(to, origin, from.Mark()), name + "." + word);
  });
}

}  // namespace srcextract::config
