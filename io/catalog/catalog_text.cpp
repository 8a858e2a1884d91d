#include <cmath>
#include <cstdint>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "io/catalog/append_number.hpp"
#include "io/catalog/catalog_writers.hpp"
#include "io/catalog/row_sink.hpp"
#include "io/catalog/text_values.hpp"

namespace srcextract {
namespace {

/// As JSON has it, with Python's names for what is no number there; of a picture a list for each of its rows.
template <class T>
void append_list(std::string& out, const FieldValues<T>& values, std::size_t row) {
  const std::size_t width = values.width == 0 ? values.size() : values.width;
  out += '[';
  for (std::size_t element = 0; element < values.size(); ++element) {
    const T value = values.at(row, element);
    if (element > 0) out += element % width == 0 ? "],[" : ",";
    if (element == 0 && values.width > 0) out += '[';
    if (std::isfinite(static_cast<double>(value))) {
      append_number(out, value);
    } else {
      out += std::isnan(static_cast<double>(value)) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
    }
  }
  out += values.width == 0 ? "]" : "]]";
}

std::string names(const CatalogRows& rows, char separator) {
  std::string line;
  for_each_field(rows, [&](const Column& column, const auto&) {
    append_text(line, column.name, separator);
    line += separator;
  });
  if (!line.empty()) line.back() = '\n';
  return line;
}

void write_rows(OutputFile& file, const CatalogRows& rows, char separator) {
  std::string text;
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows.count); ++i) {
    for_each_field(rows, [&]<class T>(const Column&, const FieldValues<T>& values) {
      if constexpr (std::is_same_v<T, std::string>) {
        append_text(text, values.at(i, 0), separator);
      } else if (values.size() == 1 && values.width == 0) {
        append_number(text, values.at(i, 0));
      } else {
        append_list(text, values, i);
      }
      text += separator;
    });
    if (text.empty()) return;  // there is no column
    text.back() = '\n';
    if (text.size() < text_piece) continue;
    file.write(text);
    text.clear();
  }
  file.write(text);
}

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

/// Of vectors and pictures with their lengths.
template <class T>
std::string ecsv_type_of(const FieldValues<T>& values) {
  const std::string type = ecsv_type<T>();
  if (values.size() == 1 && values.width == 0) return type;
  const std::size_t width = values.width == 0 ? values.size() : values.width;
  const std::string height = values.width == 0 ? "" : std::to_string(values.size() / width) + ",";
  return "string, subtype: '" + type + "[" + height + std::to_string(width) + "]'";
}

/// A single-quoted YAML scalar: no character of it has a meaning to YAML. Ends of lines become blanks.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) out.append(c == '\'' ? 2 : 1, c >= 0 && c < ' ' ? ' ' : c);
  return out + "'";
}

/// As it is where YAML takes it for text, quoted elsewhere.
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

/// What is said of the image, as lines of the header's meta.
std::string image_lines(const ImageFacts& facts) {
  std::string out;
  if (facts.sky)
    out += "#   sky: {median: " + finite_or_null(facts.sky->level) + ", sigma: " + finite_or_null(facts.sky->sigma) +
           "}\n";
  if (facts.header.empty()) return out;
  out += "#   image:\n";
  for (const HeaderValue& value : facts.header) out += "#     " + scalar(value.keyword) + ": " + scalar(value) + "\n";
  return out;
}

/// What is said of bands, likewise.
std::string band_lines(const std::vector<BandFacts>& bands) {
  std::string out = bands.empty() ? "" : "#   bands:\n";
  for (const BandFacts& band : bands) {
    out += "#     " + scalar(band.name) + ": {file: " + quoted(band.file) + ", settings: [";
    for (const std::string& setting : band.settings) out += (out.back() == '[' ? "" : ", ") + quoted(setting);
    out += "]}\n";
  }
  return out;
}

/// A line of names, and a line for each row.
class TextRows final : public RowSink {
 public:
  TextRows(OutputFile& file, const CatalogRows& rows, char separator) : file_(file), separator_(separator) {
    file_.write(names(rows, separator_));
  }
  void write(const CatalogRows& rows) override { write_rows(file_, rows, separator_); }

 private:
  OutputFile& file_;
  char separator_;
};

/// The YAML header of ECSV 1.0 (Astropy Proposal for Enhancement 6). The configuration stands in it as a block of
/// text, ready to be run again.
std::string ecsv_header(const CatalogRows& rows, const CatalogMetadata& metadata) {
  const std::string& found_in = metadata.detection_image;
  std::string out = "# %ECSV 1.0\n# ---\n# datatype:\n";
  for_each_field(rows, [&]<class T>(const Column& column, const FieldValues<T>& values) {
    const std::string unit = unit_of(column, metadata), description = column.description, ucd = column.ucd;
    out += "# - {name: " + scalar(column.name);
    if (!unit.empty()) out += ", unit: " + quoted(unit);
    out += ", datatype: " + ecsv_type_of(values);
    if (!description.empty()) out += ", description: " + quoted(description);
    if (!ucd.empty()) out += ", meta: {ucd: " + quoted(ucd) + "}";
    out += "}\n";
  });
  out += "# meta:\n#   creator: " + quoted("srcextract " + metadata.version) + "\n" + image_lines(metadata.image);
  if (!found_in.empty()) out += "#   detection_image: " + quoted(found_in) + "\n";
  out += band_lines(metadata.bands);
  if (!metadata.positions.empty()) out += "#   positions: " + quoted(metadata.positions) + "\n";
  out += "#   config: |2\n";
  std::istringstream config(metadata.config_yaml);
  for (std::string line; std::getline(config, line);) out += "#     " + line + "\n";
  return out + "# schema: astropy-2.0\n";
}

}  // namespace

std::unique_ptr<RowSink> ecsv_sink(OutputFile& file, const CatalogRows& rows, std::int64_t /*count*/,
                                   const CatalogMetadata& metadata) {
  file.write(ecsv_header(rows, metadata));
  return std::make_unique<TextRows>(file, rows, ' ');
}

std::unique_ptr<RowSink> csv_sink(OutputFile& file, const CatalogRows& rows, std::int64_t /*count*/,
                                  const CatalogMetadata& /*metadata*/) {
  return std::make_unique<TextRows>(file, rows, ',');
}

}  // namespace srcextract
