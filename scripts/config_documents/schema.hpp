#pragma once

#include <string>
#include <vector>

#include "scripts/config_documents/conditions.hpp"
#include "scripts/config_documents/schema_types.hpp"

namespace srcextract::documents {

/// The schema of a section without keys. The schema forbids all keys that are not added later.
Json section_object(const std::string& description);

/// Adds conditions to the schema of a section. A single condition becomes part of the section, several become its
/// "allOf".
void add_conditions(Json& section, const Json& conditions);

/// The schemas of all sections that for_each_field() declares for T, by name. If `has_defaults` is true, `t` contains
/// the defaults.
template <class T>
Json sections_of(const T& t, bool has_defaults) {
  Json sections = Json::object();
  for_each_field(t, [&](const config::Field& field, const auto&) {
    const std::string& name = field.section.name;
    if (!sections.contains(name)) sections[name] = section_object(plain(field.section.description));
  });
  for (auto& [name, section] : sections.items()) {
    const std::vector<Decider> deciders = deciders_of(t, name, has_defaults);
    for_each_field(t, [&, &name = name, &section = section](const config::Field& field, const auto& member) {
      if (field.section.name != name) return;
      Json limits = limits_of(field);
      remove_conditional(limits, field.key, deciders);
      Json& property = section["properties"][field.key] = property_of(field, member, limits);
      if (has_defaults) property["default"] = default_of(member);
    });
    Json conditions = Json::array();
    for (const Decider& decider : deciders) {
      for (const Json& one : conditions_of(decider)) conditions.push_back(one);
    }
    add_conditions(section, conditions);
  }
  return sections;
}

/// The text of config/schema.json.
std::string config_schema();
/// The text of config/compare.schema.json.
std::string rules_schema();

}  // namespace srcextract::documents
