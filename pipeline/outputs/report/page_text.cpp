#include "pipeline/outputs/report/page_text.hpp"

#include <spdlog/fmt/fmt.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <variant>

#include "io/files/xml_text.hpp"

namespace srcextract {

std::string fill_page(std::string_view page, const std::map<std::string, std::string, std::less<>>& values) {
  std::string out;
  for (std::size_t begin = 0; (begin = page.find("{{")) != page.npos;) {
    const std::size_t end = page.find("}}", begin);
    out += page.substr(0, begin);
    out += values.at(std::string(page.substr(begin + 2, end - begin - 2)));
    page.remove_prefix(end + 2);
  }
  return out += page;
}

std::string script_text(std::string_view json) {
  std::string text;
  for (const char character : json) {
    if (character == '<')
      text += "\\u003c";
    else
      text += character;
  }
  return text;
}

std::string json_text(std::string_view text) {
  using Json = nlohmann::json;
  return script_text(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string short_number(double value, int digits) {
  return std::isfinite(value) ? fmt::format("{:.{}g}", value, digits) : "null";
}

std::string with_unit(double value, const std::string& unit) {
  return fmt::format("{:.6g}", value) + (unit.empty() ? "" : " " + unit);
}

std::string value_text(const KeywordValue& value) {
  return std::visit(
      [](const auto& held) -> std::string {
        using Held = std::remove_cvref_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::string>) {
          return held;
        } else if constexpr (std::is_same_v<Held, double>) {
          return fmt::format("{:.9g}", held);
        } else if constexpr (std::is_same_v<Held, bool>) {
          return held ? "T" : "F";
        } else {
          return fmt::format("{}", held);
        }
      },
      value);
}

std::string head_cell(const std::string& name, const std::string& unit, const std::string& description, bool is_text) {
  return fmt::format("<th scope=\"col\"{} title=\"{}\">{}{}</th>", is_text ? " class=\"text\"" : "",
                     xml_text(description), xml_text(name),
                     unit.empty() ? "" : " <small>" + xml_text(unit) + "</small>");
}

std::string warnings_html(const std::vector<std::string>& warnings) {
  if (warnings.empty()) return "";
  std::string html =
      "<section id=\"warnings\" class=\"warnings\" aria-labelledby=\"of-warnings\">\n"
      "<h2 id=\"of-warnings\">Warnings</h2>\n<ul>\n";
  for (const std::string& warning : warnings) html += "<li>" + xml_text(warning) + "</li>\n";
  return html + "</ul>\n</section>\n";
}

}  // namespace srcextract
