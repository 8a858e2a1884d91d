#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "config/field.hpp"
#include "tests/support/peers.hpp"
#include "tests/support/source_dir.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract::testing {

// Holding a JSON schema of config/ to the declaration of the keys, and to the judgement of the parser.

using nlohmann::json;

inline std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline json read_schema(const std::string& name) {
  return json::parse(text_of(source_dir() + "/config/" + name));
}

/// What the schema must say of a key's type and default, from the type and value of its member.
inline json type_of(double value) {
  return {{"type", "number"}, {"default", value}};
}
inline json type_of(std::int64_t value) {
  return {{"type", "integer"}, {"default", value}};
}
inline json type_of(bool value) {
  return {{"type", "boolean"}, {"default", value}};
}
inline json type_of(const std::string& value) {
  return {{"type", {"string", "integer"}},  // a name, or the number that stands for one
          {"pattern", "^[!-~]([ -~]*[!-~])?$"},
          {"maxLength", 68},
          {"minimum", 0},
          {"default", value}};
}
inline json type_of(const std::map<std::string, std::string>& value) {
  const char* one_name = "^[!-)+-~]([ -)+-~]*[!-)+-~])?$";
  json name = type_of(std::string());
  name.erase("default");
  name["pattern"] = one_name;
  return {{"type", "object"},
          {"propertyNames", {{"pattern", one_name}, {"maxLength", 68}}},
          {"additionalProperties", name},
          {"default", value}};
}
/// A list, empty by default.
template <class Item>
requires(!std::is_enum_v<Item>) json type_of(const std::vector<Item>& values) {
  json items = type_of(Item());
  items.erase("default");
  return {{"type", "array"}, {"items", items}, {"default", values}};
}
template <class Item>
json type_of(const std::vector<std::vector<Item>>& values) {
  json rows = type_of(std::vector<Item>());
  rows.erase("default");
  return {{"type", "array"}, {"items", rows}, {"default", values}};
}
inline json type_of_path() {
  return {{"type", {"string", "integer"}}, {"pattern", "^[^\\u0000-\\u001f\\u007f]*$"}};
}
template <class Enum>
requires std::is_enum_v<Enum> json type_of(Enum value) {
  json words = json::array();
  for (const std::string& word : names_of(value))
    words.push_back(std::isdigit(word[0]) ? json::parse(word) : json(word));
  return {{"enum", words}, {"default", words[static_cast<std::size_t>(value)]}};
}
template <class Enum>
requires std::is_enum_v<Enum> json type_of(const std::vector<Enum>& values) {
  json defaults = json::array();
  for (Enum value : values) defaults.push_back(names_of(value)[static_cast<std::size_t>(value)]);
  return {{"type", "array"},
          {"items", {{"enum", names_of(Enum{})}}},
          {"minItems", 1},
          {"uniqueItems", true},
          {"default", defaults}};
}

/// The section -> key -> property tree that the declaration asks for, with the defaults of a T and the limits that hold
/// in `t`.
template <class T>
json declared(const T& t) {
  json sections = json::object();
  const T defaults;
  for_each_field(defaults, [&](const Field& field, const auto& value) {
    json property = type_of(value);
    if (field.is_path) {
      (property["type"] == "array" ? property["items"] : property) = type_of_path();
      property["default"] = value;
    }
    property["description"] = field.description;
    sections[field.section][field.key] = property;
  });
  for_each_field(t, [&](const Field& field, const auto&) {
    json& property = sections[field.section][field.key];
    if (std::isfinite(field.above)) property["exclusiveMinimum"] = field.above;
    if (std::isfinite(field.at_least)) property["minimum"] = field.at_least;
    if (std::isfinite(field.at_most)) property["maximum"] = field.at_most;
    if (!field.one_of.empty()) {
      property.erase("type");
      property["enum"] = field.one_of;
    }
  });
  return sections;
}

inline void expect_equal(const json& from_schema, const json& from_declaration) {
  EXPECT_EQ(from_schema, from_declaration)
      << "the edit that makes the schema agree with the declaration (JSON Patch):\n"
      << json::diff(from_schema, from_declaration).dump(2);
}

/// Expects Python's jsonschema, a peer, to find what is right valid, and what is wrong not.
inline void expect_verdicts(const std::string& schema, const std::vector<std::string>& right,
                            const std::vector<std::string>& wrong) {
  const std::string python = "/usr/bin/python3";
  SRCEXTRACT_NEEDS_PEER(std::system((python + " -c 'import jsonschema, yaml' 2>/dev/null").c_str()) == 0,
                        "no " + python + " with jsonschema and yaml");
  std::vector<std::string> texts = right;
  texts.insert(texts.end(), wrong.begin(), wrong.end());
  const TemporaryFolder folder;
  const std::string corpus = folder.write("texts.json", json(texts).dump());
  const std::string command = python + " '" + source_dir() + "/tests/config/schema_verdicts.py' '" + source_dir() +
                              "/config/" + schema + "' '" + corpus + "' > '" + (folder / "verdicts") + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::istringstream verdicts(text_of(folder / "verdicts"));
  std::string verdict;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    ASSERT_TRUE(std::getline(verdicts, verdict));
    EXPECT_EQ(verdict, i < right.size() ? "valid" : "invalid") << texts[i];
  }
}

}  // namespace srcextract::testing
