#include "scripts/config_documents/schema_types.hpp"

#include <cctype>
#include <cmath>

namespace srcextract::documents {
namespace {

/// Pattern of a FITS name, as config/values.cpp accepts it: printable ASCII without a blank at either end.
constexpr const char* any_name = "^[!-~]([ -~]*[!-~])?$";
/// Like any_name, but without *, which would be a wildcard.
constexpr const char* one_name = "^[!-)+-~]([ -)+-~]*[!-)+-~])?$";
constexpr int longest_name = 68;

/// Schema of a name that matches `pattern`, or of a whole number (an HDU, for example) in place of the name.
Json name_like(const char* pattern) {
  return {{"type", {"string", "integer"}}, {"pattern", pattern}, {"maxLength", longest_name}, {"minimum", 0}};
}

/// A JSON number. A whole number is written without the ".0" that JSON output adds to a double.
Json number(double value) {
  if (std::trunc(value) == value) return static_cast<std::int64_t>(value);
  return value;
}

}  // namespace

Json word_of(const std::string& word) {
  return std::isdigit(static_cast<unsigned char>(word[0])) != 0 ? Json::parse(word) : Json(word);
}

Json type_of(const config::Field&, double) {
  return {{"type", "number"}};
}

Json type_of(const config::Field&, std::int64_t) {
  return {{"type", "integer"}};
}

Json type_of(const config::Field&, bool) {
  return {{"type", "boolean"}};
}

Json type_of(const config::Field& field, const std::string&) {
  if (field.is_keyword) return {{"type", "string"}, {"pattern", "^[A-Z0-9_-]{1,8}$"}};
  if (field.is_number) return {{"type", {"string", "number"}}, {"pattern", "^[^\\u0000-\\u001f\\u007f]*$"}};
  if (field.is_path) return {{"type", {"string", "integer"}}, {"pattern", "^[^\\u0000-\\u001f\\u007f]*$"}};
  Json type = name_like(any_name);
  if (field.is_column) type["not"] = {{"pattern", "[*].*[*]"}};
  return type;
}

/// Schema of a name or a list of names. JSON schema applies `pattern` to a string only, and `items` to a list only.
Json type_of(const config::Field&, const HduNames&) {
  Json type = name_like(any_name);
  type["type"] = {"string", "integer", "array"};
  type.update({{"items", name_like(any_name)}, {"minItems", 1}});
  return type;
}

Json type_of(const config::Field&, const std::map<std::string, std::string>&) {
  return {{"type", "object"},
          {"propertyNames", {{"pattern", one_name}, {"maxLength", longest_name}}},
          {"additionalProperties", name_like(one_name)}};
}

Json limits_of(const config::Field& field) {
  Json limits = Json::object();
  if (std::isfinite(field.above)) limits["exclusiveMinimum"] = number(field.above);
  if (std::isfinite(field.at_least)) limits["minimum"] = number(field.at_least);
  if (std::isfinite(field.at_most)) limits["maximum"] = number(field.at_most);
  return limits;
}

std::string plain(std::string markdown) {
  std::erase(markdown, '`');
  return markdown;
}

}  // namespace srcextract::documents
