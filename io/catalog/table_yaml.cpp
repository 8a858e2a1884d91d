#include "io/catalog/table_yaml.hpp"

#include <cmath>
#include <cstdint>
#include <regex>
#include <sstream>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "io/catalog/catalog_writers.hpp"
#include "io/catalog/text_values.hpp"

namespace srcextract {
namespace {

template <class T>
const char* ecsv_type() {
  if constexpr (std::is_same_v<T, std::int16_t>) return "int16";
  if constexpr (std::is_same_v<T, std::int32_t>) return "int32";
  if constexpr (std::is_same_v<T, std::int64_t>) return "int64";
  if constexpr (std::is_same_v<T, float>) return "float32";
  if constexpr (std::is_same_v<T, std::string>) return "string";
  static_assert(std::is_integral_v<T> || std::is_floating_point_v<T> || std::is_same_v<T, std::string>);
  return "float64";
}

/// Returns the ECSV datatype, with the lengths of vectors and images.
template <class T>
std::string ecsv_type_of(const FieldValues<T>& values) {
  const std::string type = ecsv_type<T>();
  if (values.size() == 1 && values.width == 0) return type;
  const std::size_t width = values.width == 0 ? values.size() : values.width;
  const std::string height = values.width == 0 ? "" : std::to_string(values.size() / width) + ",";
  return "string, subtype: '" + type + "[" + height + std::to_string(width) + "]'";
}

/// Returns the text as a single-quoted YAML scalar, in which no character has a special meaning.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : for_ecsv(text)) out.append(c == '\'' ? 2 : 1, c);
  return out + "'";
}

/// Returns the name itself if YAML takes it for a text, else the name in quotes.
std::string scalar(const std::string& name) {
  static const std::regex plain("[A-Za-z][A-Za-z0-9_]*"), word("y|n|yes|no|on|off|true|false|null", std::regex::icase);
  return std::regex_match(name, plain) && !std::regex_match(name, word) ? name : quoted(name);
}

std::string scalar(const HeaderValue& value) {
  if (const auto* text = std::get_if<std::string>(&value.value)) return quoted(*text);
  if (const auto* logical = std::get_if<bool>(&value.value)) return *logical ? "true" : "false";
  if (const auto* whole = std::get_if<std::int64_t>(&value.value)) return std::to_string(*whole);
  return format_real(std::get<double>(value.value));
}

std::string finite_or_null(double value) {
  return std::isfinite(value) ? format_real(value) : "null";
}

/// Returns facts about the image as lines of the key `meta`.
std::string image_lines(const ImageFacts& facts) {
  std::string out;
  if (facts.sky)
    out +=
        "  sky: {median: " + finite_or_null(facts.sky->level) + ", sigma: " + finite_or_null(facts.sky->sigma) + "}\n";
  if (facts.header.empty()) return out;
  out += "  image:\n";
  for (const HeaderValue& value : facts.header) out += "    " + scalar(value.keyword) + ": " + scalar(value) + "\n";
  return out;
}

/// Returns facts about the bands as lines of the key `meta`.
std::string band_lines(const std::vector<BandFacts>& bands) {
  std::string out = bands.empty() ? "" : "  bands:\n";
  for (const BandFacts& band : bands) {
    out += "    " + scalar(band.name) + ": {file: " + quoted(band.file) + ", settings: [";
    for (const std::string& setting : band.settings) out += (out.back() == '[' ? "" : ", ") + quoted(setting);
    out += "]}\n";
  }
  return out;
}

}  // namespace

std::string table_yaml(const CatalogRows& rows, const CatalogMetadata& metadata) {
  const std::string& found_in = metadata.detection_image;
  std::string out = "datatype:\n";
  for_each_field(rows, [&]<class T>(const Column& column, const FieldValues<T>& values) {
    const std::string unit = unit_of(column, metadata), description = column.description, ucd = column.ucd;
    out += "- {name: " + scalar(column.name);
    if (!unit.empty()) out += ", unit: " + quoted(unit);
    out += ", datatype: " + ecsv_type_of(values);
    if (!description.empty()) out += ", description: " + quoted(description);
    if (!ucd.empty()) out += ", meta: {ucd: " + quoted(ucd) + "}";
    out += "}\n";
  });
  out += "meta:\n  creator: " + quoted("srcextract " + metadata.version) + "\n" + image_lines(metadata.image);
  if (!found_in.empty()) out += "  detection_image: " + quoted(found_in) + "\n";
  out += band_lines(metadata.bands);
  if (!metadata.positions.empty()) out += "  positions: " + quoted(metadata.positions) + "\n";
  out += "  config: |2\n";
  std::istringstream config(metadata.config_yaml);
  for (std::string line; std::getline(config, line);) out += "    " + for_ecsv(line) + "\n";
  return out;
}

}  // namespace srcextract
