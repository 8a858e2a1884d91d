#include "scripts/config_documents/schema.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "config/rules_fields.hpp"
#include "stages/settings/keys.hpp"

namespace srcextract::documents {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t line_length = 120;

/// Whether the JSON value, or a value inside it, is the description of a key or a section.
bool describes(const Json& json) {
  return (json.is_object() && json.contains("description")) ||
         std::any_of(json.begin(), json.end(), [](const Json& j) { return j.is_structured() && describes(j); });
}

std::string named(const std::string& name) {
  return Json(name).dump() + ": ";
}

std::string on_one_line(const Json& json) {
  if (!json.is_structured() || json.empty()) return json.dump();
  std::string text;
  for (const auto& [name, value] : json.items())
    text += (text.empty() ? "" : ", ") + (json.is_object() ? named(name) : "") + on_one_line(value);
  return json.is_object() ? "{ " + text + " }" : "[" + text + "]";
}

/// The JSON value as text. `before` is the number of characters that precede the value on its line; further lines are
/// indented by `indent`.
std::string text_of(const Json& json, std::size_t indent, std::size_t before) {
  const std::string line = on_one_line(json);
  const bool is_short = before + line.size() < line_length;  // less than the limit, since a comma may follow
  if (!json.is_structured() || json.empty() || (is_short && !describes(json))) return line;
  const std::string margin(indent + 2, ' ');
  std::string text;
  for (const auto& [name, value] : json.items()) {
    const std::string start = margin + (json.is_object() ? named(name) : "");
    text += (text.empty() ? "\n" : ",\n") + start + text_of(value, indent + 2, start.size());
  }
  text += "\n" + std::string(indent, ' ');
  return json.is_object() ? "{" + text + "}" : "[" + text + "]";
}

/// A JSON document in readable form: lists and objects are on one line if they are short and contain no description.
std::string json_text(const Json& json) {
  return text_of(json, 0, 0) + "\n";
}

Json whole_schema(const std::string& title, const std::string& description, const Json& sections) {
  return {{"$schema", "http://json-schema.org/draft-07/schema#"},
          {"title", title},
          {"description", description},
          {"type", "object"},
          {"additionalProperties", false},
          {"properties", sections}};
}

/// The schema of one column pattern. The condition that difference `sigma` requires the key `error` is added here, as
/// in config/rules.cpp, because declarations of keys cannot express which other keys are set.
Json rule_schema() {
  Json rule = sections_of(ColumnRule{}, false).at("columns");
  Json is_sigma = {{"required", {"difference"}}, {"properties", {{"difference", {{"const", "sigma"}}}}}};
  rule["allOf"].push_back({{"if", is_sigma}, {"then", {{"required", {"error"}}}}});
  return rule;
}

/// The schema of the section `columns`, whose keys are patterns of column names.
Json columns_schema() {
  const Json pattern =
      type_of(config::Field{.section = {}, .key = {}, .description = {}, .is_column = true}, std::string());
  return {{"description",
           "What is tolerated in the columns whose name fits a pattern: a name, or a part of one with one * for the "
           "rest; the first that fits decides"},
          {"type", "object"},
          {"maxProperties", max_patterns},
          {"propertyNames",
           {{"pattern", pattern.at("pattern")}, {"maxLength", pattern.at("maxLength")}, {"not", pattern.at("not")}}},
          {"additionalProperties", rule_schema()}};
}

}  // namespace

Json type_of(const config::Field& field, const FlagMapConfig& map) {
  return sections_of(map, true).at(field.path());
}

Json section_object(const std::string& description) {
  return {{"description", description},
          {"type", "object"},
          {"additionalProperties", false},
          {"properties", Json::object()}};
}

void add_conditions(Json& section, const Json& conditions) {
  if (conditions.size() == 1) section.update(conditions[0]);
  if (conditions.size() > 1) section["allOf"] = conditions;
}

std::string config_schema() {
  // What a key without a value has, a file that is extended may say.
  Json sections = sections_of(Config{}, false);
  const Config usual = load_given("").config;
  for_each_field(usual, [&](const config::Field& field, const auto& member) {
    sections[field.section.name]["properties"][field.key]["default"] = default_of(member);
  });
  Json all = {
      {"extends",
       {{"description",
         "The configuration that this one changes: default, none, radio, crowd, or the path of a file, relative to "
         "this one"},
        {"type", "string"},
        {"minLength", 1},
        {"default", "default"}}}};
  all.update(sections);
  return json_text(
      whole_schema("srcextract configuration",
                   "Generated by scripts/generate_config.sh from stages/settings/keys.hpp; docs/configuration.md "
                   "explains the keys.",
                   all));
}

std::string rules_schema() {
  Json sections = sections_of(CompareRules{}, true);
  sections["columns"] = columns_schema();
  return json_text(whole_schema("rules of srcextract compare",
                                "Generated by scripts/generate_config.sh from config/rules_fields.hpp; "
                                "docs/regression.md explains the keys.",
                                sections));
}

}  // namespace srcextract::documents
