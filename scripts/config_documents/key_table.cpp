#include "scripts/config_documents/key_table.hpp"

#include <cmath>

#include "config/rules_fields.hpp"
#include "stages/core/shortest_number.hpp"
#include "stages/settings/keys.hpp"

namespace srcextract::documents {
namespace {

constexpr const char* table_head = "| Key | Type | Range | Default | Meaning |\n|---|---|---|---|---|\n";

std::string between_limits(const config::Field& field) {
  if (std::isfinite(field.at_least) && std::isfinite(field.at_most))
    return shortest(field.at_least) + " to " + shortest(field.at_most);
  std::string text;
  const auto add = [&](const char* sign, double limit) {
    if (std::isfinite(limit)) text += (text.empty() ? "" : ", ") + std::string(sign) + " " + shortest(limit);
  };
  add(">", field.above);
  add("≥", field.at_least);
  add("≤", field.at_most);
  return text;
}

}  // namespace

TypeName type_name(const config::Field&, double) {
  return {"number", "numbers"};
}

TypeName type_name(const config::Field&, std::int64_t) {
  return {"integer", "integers"};
}

TypeName type_name(const config::Field&, bool) {
  return {"boolean", "booleans"};
}

TypeName type_name(const config::Field& field, const std::string& value) {
  if (field.is_number && field.is_path) return {"number or path", ""};
  if (field.is_number) return {value.empty() ? "number or ''" : "number or word", ""};
  if (field.is_path) return {"path", "paths"};
  if (field.is_column || field.is_keyword) return {"name", "names"};
  return {"name or number", "names or numbers"};
}

TypeName type_name(const config::Field&, const HduNames&) {
  return {"name or number, or list of such", "lists of names or numbers"};
}

TypeName type_name(const config::Field&, const std::map<std::string, std::string>&) {
  return {"map of names", "maps of names"};
}

TypeName type_name(const config::Field&, const FlagMapConfig&) {
  return {"map of keys", "maps of keys"};
}

std::string range_of(const config::Field&, const FlagMapConfig&) {
  return "";
}

std::string range_of(const config::Field& field, double) {
  return between_limits(field);
}

std::string range_of(const config::Field& field, std::int64_t) {
  if (field.one_of.empty()) return between_limits(field);
  std::string text;
  for (const std::int64_t value : field.one_of) text += (text.empty() ? "" : ", ") + std::to_string(value);
  return text;
}

std::string range_of(const config::Field&, bool) {
  return in_code({"true", "false"});
}

std::string range_of(const config::Field& field, const std::string&) {
  return field.is_path ? "" : "of at most 68 characters";
}

std::string range_of(const config::Field& field, const HduNames&) {
  return range_of(field, std::string());
}

std::string range_of(const config::Field&, const std::map<std::string, std::string>&) {
  return "names of at most 68 characters";
}

std::string in_code(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "`" : ", `") + word + "`";
  return text;
}

std::string table_row(const config::Field& field, const std::string& type, const std::string& range,
                      const std::string& default_value) {
  return "| `" + field.path() + "` | " + type + " | " + range + (range.empty() ? "| " : " | ") + default_value + " | " +
         field.description + " |\n";
}

std::string config_table() {
  const std::map<std::string, std::string> alone = texts_of(Config{});
  std::string rows = table_head;
  const Config usual = load_given("").config;
  for_each_field(usual, [&](const config::Field& field, const auto& member) {
    const std::string value = config::format_value(member), &of_none = alone.at(field.path());
    rows += key_row(field, member, in_code({value}) + (value == of_none ? "" : " (" + in_code({of_none}) + ")"));
  });
  return rows;
}

std::string rules_table() {
  return table_head + table_rows(CompareRules{}) + table_rows(ColumnRule{.pattern = "PATTERN"}, "built in");
}

}  // namespace srcextract::documents
