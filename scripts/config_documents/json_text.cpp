#include "scripts/config_documents/json_text.hpp"

#include <algorithm>

namespace srcextract::documents {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t line_length = 120;

/// Whether it is, or holds, the description of a key or a section.
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

/// `before` characters stand before it on its line, which is indented by `indent`.
std::string text_of(const Json& json, std::size_t indent, std::size_t before) {
  const std::string line = on_one_line(json);
  const bool is_short = before + line.size() < line_length;  // with the comma behind it
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

}  // namespace

std::string json_text(const Json& json) {
  return text_of(json, 0, 0) + "\n";
}

}  // namespace srcextract::documents
