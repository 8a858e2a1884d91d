#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "config/config.hpp"
#include "config/values.hpp"
#include "stages/settings/field.hpp"

namespace srcextract::documents {

using Json = nlohmann::ordered_json;

// Functions for the JSON schema of a key, overloaded by the type of the configuration member.

/// A word of an enumeration as a JSON value. Words that begin with a digit become numbers, since YAML reads them as
/// numbers.
Json word_of(const std::string& word);

template <class Enum>
requires std::is_enum_v<Enum> Json words_of(Enum) {
  Json words = Json::array();
  for (const std::string& word : names_of(Enum{})) words.push_back(word_of(word));
  return words;
}

/// The JSON schema of the values that a key accepts, without numeric limits.
Json type_of(const config::Field& field, double);
Json type_of(const config::Field& field, std::int64_t);
Json type_of(const config::Field& field, bool);
Json type_of(const config::Field& field, const std::string&);
Json type_of(const config::Field& field, const HduNames&);
Json type_of(const config::Field& field, const std::map<std::string, std::string>&);
Json type_of(const config::Field& field, const FlagMapConfig&);

template <class Enum>
requires std::is_enum_v<Enum> Json type_of(const config::Field&, Enum value) {
  return {{"enum", words_of(value)}};
}
template <class Item>
Json type_of(const config::Field& field, const std::vector<Item>&) {
  Json type = {{"type", "array"}, {"items", type_of(field, Item{})}};
  if constexpr (std::is_enum_v<Item>) {
    type["uniqueItems"] = true;
    if (!config::list_may_be_empty<Item>) type["minItems"] = 1;
  }
  return type;
}

/// The limits of a number as keywords of JSON schema.
Json limits_of(const config::Field& field);

/// The default of a key as JSON; `value` is the default.
template <class Member>
Json default_of(const Member& value) {
  return value;
}
inline Json default_of(const HduNames& value) {
  return value.text();
}
inline Json default_of(const std::vector<FlagMapConfig>&) {
  return Json::array();
}
template <class Enum>
requires std::is_enum_v<Enum> Json default_of(const Enum& value) {
  return words_of(value)[static_cast<std::size_t>(value)];
}
template <class Enum>
requires std::is_enum_v<Enum> Json default_of(const std::vector<Enum>& values) {
  Json words = Json::array();
  for (const Enum value : values) words.push_back(default_of(value));
  return words;
}

/// A description without Markdown backticks.
std::string plain(std::string markdown);

/// The JSON schema of a key without its default. `limits` apply to the items if the key is a list.
template <class Member>
Json property_of(const config::Field& field, const Member& member, const Json& limits) {
  Json property = {{"description", plain(field.description)}};
  Json type = field.one_of.empty() ? type_of(field, member) : Json{{"enum", field.one_of}};
  (type.contains("items") ? type["items"] : type).update(limits);
  property.update(type);
  return property;
}

}  // namespace srcextract::documents
