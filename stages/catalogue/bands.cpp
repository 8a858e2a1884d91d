#include "stages/catalogue/bands.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "stages/catalogue/declared_columns.hpp"
#include "stages/core/ascii.hpp"

namespace srcextract {
namespace {

bool is_name(std::string_view text) {
  return !text.empty() && is_letter(text.front()) &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

std::string problem_of_name(const std::string& name) {
  if (!is_name(name))
    return "the band '" + name + "' is to be called by a letter and then letters, digits and _, as in g or F606W";
  if (name.size() > longest_band_name)
    return "the band '" + name + "' has a name of " + std::to_string(name.size()) + " characters, and " +
           std::to_string(longest_band_name) + " are the most; choose a shorter one";
  if (common_name(name) != name)
    return "the band '" + name + "' has a name that ends in _ and a number, as columns of several values do " +
           "(FLUX_APER_1); leave out the _";
  return "";
}

/// Names of the columns whose values come from the image of each band (Column::image is true).
std::vector<std::string> measured_names() {
  std::vector<std::string> names;
  for (const DeclaredColumn& one : declared_columns())
    if (one.column.image) names.emplace_back(one.column.name);
  return names;
}

/// The band's unit of pixel values or of sums of pixel values, if the column's unit is pixel_value_unit or
/// pixel_sum_unit; else nothing.
std::optional<std::string> unit_in_band(const Column& column, const BandSources& band) {
  if (column.unit == std::string_view(pixel_value_unit)) return band.pixel_unit;
  if (column.unit == std::string_view(pixel_sum_unit)) return band.sum_unit;
  return std::nullopt;
}

void add_measured(const BandSources& band, Sources& joined) {
  for_each_column(WrittenColumns{band.sources}, [&](Column column, const auto& values) {
    if (!column.image) return;
    std::string name = column_in_band(column.name, band.name);
    joined.written->emplace_back(common_name(name));
    column.name = "";  // this pointer is invalid once the band's sources are destroyed; `name` replaces it
    std::optional<std::string> unit = unit_in_band(column, band);
    if (unit) column.unit = "";
    joined.add({column, std::move(name), values, CatalogPart::requested, std::move(unit)});
  });
}

}  // namespace

std::string column_in_band(std::string_view column, std::string_view band) {
  const std::string_view common = common_name(column);
  return std::string(common) + "_" + std::string(band) + std::string(column.substr(common.size()));
}

std::string problem_of_bands(const std::vector<std::string>& names) {
  // Maps a name in capital letters to its band; first the names of bands, then the names of columns. A column of no
  // band has an empty band.
  std::map<std::string, std::string> band_of;
  for (const std::string& name : names) {
    if (std::string problem = problem_of_name(name); !problem.empty()) return problem;
    const auto [other, is_new] = band_of.emplace(in_capitals(name), name);
    if (!is_new)
      return "the bands '" + other->second + "' and '" + name + "' have one name" +
             (name == other->second ? "" : ", for FITS tells no small letters from capitals") + "; rename one of them";
  }
  band_of.clear();
  for (const std::string& column : column_names()) band_of[in_capitals(column)];
  for (const std::string& name : names) {
    for (const std::string& column : measured_names()) {
      const std::string own = column_in_band(column, name);
      const auto [other, is_new] = band_of.emplace(in_capitals(own), name);
      if (is_new) continue;
      if (other->second.empty())
        return "the band '" + name + "' would have a column " + own + ", which is another's name; rename the band";
      return "the bands '" + other->second + "' and '" + name + "' would both have a column " + own +
             "; rename one of them";
    }
  }
  return "";
}

Sources join_bands(const std::vector<BandSources>& bands) {
  const auto with_sky =
      std::ranges::find_if(bands, [](const BandSources& band) { return band.sources.has(columns::alpha_j2000); });
  Sources joined = with_sky == bands.end() ? bands.front().sources : with_sky->sources;
  std::vector<std::string> written;
  for_each_column(WrittenColumns{joined}, [&](const Column& column, const auto&) {
    if (!column.image) written.emplace_back(common_name(column.name));
  });
  joined.written = std::move(written);
  // Usual columns measured in this band stay, although they are not written, because region files and plots use these
  // columns.
  std::erase_if(joined.columns,
                [](const CatalogColumn& one) { return one.column.image && one.part != CatalogPart::usual; });
  for (const BandSources& band : bands) add_measured(band, joined);
  return joined;
}

}  // namespace srcextract
