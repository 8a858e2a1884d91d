#include "scripts/config_documents/key_table.hpp"

#include <algorithm>
#include <cmath>

#include "config/rules_fields.hpp"
#include "stages/core/shortest_number.hpp"
#include "stages/settings/keys.hpp"

namespace srcextract::documents {
namespace {

/// The words that stand as code in the Markdown `text`, with their backticks.
std::vector<std::string> code_in(const std::string& text) {
  std::vector<std::string> words;
  std::size_t begin = 0, end = 0;
  while ((begin = text.find('`', end)) != std::string::npos && (end = text.find('`', begin + 1)) != std::string::npos)
    words.push_back(text.substr(begin, ++end - begin));
  return words;
}

/// Type and range of the values of a key. Leaves out words that the key's description explains, and true and false.
std::string values_of(const config::Field& field, const std::string& type, const std::string& range) {
  if (range.empty() || type.ends_with("boolean")) return type;
  const std::vector<std::string> words = code_in(range);
  const auto is_explained = [&](const std::string& word) { return field.description.find(word) != std::string::npos; };
  if (type.find("word") != std::string::npos && !words.empty() && std::ranges::all_of(words, is_explained))
    return type + (field.allowed.empty() ? range.substr(range.rfind('`') + 1) : "");
  const bool is_limit = range.starts_with("≥") || range.starts_with("≤") || range.starts_with(">");
  if (is_limit || range.starts_with("of ")) return type + " " + range;
  return type + (field.allowed.empty() && range.find(" to ") != std::string::npos ? " from " : ": ") + range;
}

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

void KeyTables::add_row(const config::Field& field, const std::string& type, const std::string& range,
                        const std::string& default_value) {
  if (field.section.name != section_)
    text_ += "\n### " + field.section.name + "\n\nSection `" + field.section.name + "`: " + field.section.description +
             ".\n\n| Key | Default | Meaning |\n|---|---|---|\n";
  section_ = field.section.name;
  text_ += "| `" + field.key + "` | " + default_value + " | " + field.description + " *(" +
           values_of(field, type, range) + ")* |\n";
}

std::string config_table() {
  const std::map<std::string, std::string> alone = texts_of(Config{});
  KeyTables tables;
  const Config usual = load_given("").config;
  for_each_field(usual, [&](const config::Field& field, const auto& member) {
    const std::string value = config::format_value(member), &of_none = alone.at(field.path());
    tables.add(field, member, in_code({value}) + (value == of_none ? "" : " (" + in_code({of_none}) + ")"));
  });
  return tables.text() + "\n";
}

std::string rules_table() {
  KeyTables tables;
  tables.add_all(CompareRules{});
  tables.add_all(ColumnRule{.pattern = "PATTERN"}, "built in");
  return tables.text() + "\n";
}

}  // namespace srcextract::documents
