#include <charconv>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "io/catalog_writers.hpp"

namespace srcextract {
namespace {

/// Text is handed to the file in pieces of about this size.
constexpr std::size_t piece = std::size_t{1} << 20;

/// The shortest decimal that reads back to the same bits, in no one's locale.
template <class T>
void append(std::string& out, T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) {  // without the sign that to_chars would show
      out += "nan";
      return;
    }
  }
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
}

std::string names(const Sources& sources, char separator) {
  std::string line;
  for_each_column(sources, [&](const Column& column, const auto&) { (line += column.name) += separator; });
  line.back() = '\n';
  return line;
}

void write_rows(OutputFile& file, const Sources& sources, char separator) {
  std::string text;
  for (std::size_t i = 0; i < sources.number.size(); ++i) {
    for_each_column(sources, [&](const Column&, const auto& values) {
      append(text, values[i]);
      text += separator;
    });
    text.back() = '\n';
    if (text.size() < piece) continue;
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
  static_assert(std::is_integral_v<T> || std::is_same_v<T, double>);
  return "float64";
}

/// A single-quoted YAML scalar: no character of it has a meaning to YAML.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) out.append(c == '\'' ? 2 : 1, c);
  return out + "'";
}

/// The YAML header of ECSV 1.0 (Astropy Proposal for Enhancement 6). The configuration stands in it as a block of
/// text, ready to be run again.
std::string ecsv_header(const Sources& sources, const CatalogMetadata& metadata) {
  std::string out = "# %ECSV 1.0\n# ---\n# datatype:\n";
  for_each_column(sources, [&]<class T>(const Column& column, const std::vector<T>&) {
    out += "# - {name: " + std::string(column.name);
    const std::string unit = unit_of(column, metadata);
    if (!unit.empty()) out += ", unit: " + quoted(unit);
    out += std::string(", datatype: ") + ecsv_type<T>() + ", description: " + quoted(column.description);
    out += ", meta: {ucd: " + quoted(column.ucd) + "}}\n";
  });
  out += "# meta:\n#   creator: " + quoted("srcextract " + metadata.version) + "\n#   config: |2\n";
  std::istringstream config(metadata.config_yaml);
  for (std::string line; std::getline(config, line);) out += "#     " + line + "\n";
  return out + "# schema: astropy-2.0\n";
}

}  // namespace

void write_ecsv_catalog(OutputFile& file, const Sources& sources, const CatalogMetadata& metadata) {
  file.write(ecsv_header(sources, metadata));
  file.write(names(sources, ' '));
  write_rows(file, sources, ' ');
}

void write_csv_catalog(OutputFile& file, const Sources& sources) {
  file.write(names(sources, ','));
  write_rows(file, sources, ',');
}

void write_regions(OutputFile& file, const Sources& sources) {
  // A source of one pixel, or of one row, has no extent of its own: draw the pixel's, whose variance is 1/12.
  const double smallest = std::sqrt(9.0 / 12.0);
  auto radius = [&](double rms) { return 3 * rms > smallest ? 3 * rms : smallest; };

  std::string text = "# Region file format: DS9 version 4.1\nimage\n";
  for (std::size_t i = 0; i < sources.number.size(); ++i) {
    // A source whose flux sums to zero has no centroid; its peak is where to look.
    const bool centred = std::isfinite(sources.x_image[i]) && std::isfinite(sources.y_image[i]);
    const double theta = sources.theta_image[i];
    const double fields[] = {centred ? sources.x_image[i] : sources.xpeak_image[i],
                             centred ? sources.y_image[i] : sources.ypeak_image[i], radius(sources.a_image[i]),
                             radius(sources.b_image[i]), std::isfinite(theta) ? theta : 0};
    text += "ellipse(";
    for (double field : fields) {
      append(text, field);
      text += ',';
    }
    text.back() = ')';
    text += " # text={" + std::to_string(sources.number[i]) + "}\n";
    if (text.size() < piece) continue;
    file.write(text);
    text.clear();
  }
  file.write(text);
}

}  // namespace srcextract
