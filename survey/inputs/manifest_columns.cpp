#include "survey/inputs/manifest_columns.hpp"

#include <algorithm>
#include <utility>

#include "config/config.hpp"
#include "stages/catalogue/bands.hpp"
#include "stages/core/error.hpp"
#include "survey/inputs/files_beside.hpp"
#include "survey/inputs/foreign_columns.hpp"

namespace srcextract {
namespace {

/// The columns whose text is stored in a member of ManifestFields as it is.
constexpr std::pair<std::string_view, std::string ManifestFields::*> columns_of_text[] = {
    {"path", &ManifestFields::path},
    {"name", &ManifestFields::name},
    {detect_column, &ManifestFields::detect},
    {positions_column, &ManifestFields::positions},
    {reference_column, &ManifestFields::reference}};

}  // namespace

std::string place_of_line(const TextLines& lines) {
  return lines.file().path() + ":" + std::to_string(lines.number());
}

void fail_at_line(const TextLines& lines, const std::string& problem) {
  throw Error(ErrorKind::config, place_of_line(lines) + ": " + problem);
}

void ManifestColumns::Meaning::take(std::string_view field, ManifestFields& row) const {
  const std::string setting = key + "=" + std::string(field);
  switch (of) {
    case Of::nothing:
      return;
    case Of::text:
      row.*text = field;
      return;
    case Of::setting:
      return row.settings.push_back(setting);
    case Of::detect_setting:
      return row.detect_settings.push_back(setting);
    case Of::reference_setting:
      return row.reference_settings.push_back(setting);
    case Of::band:
      row.bands[band].path = field;
      return;
    case Of::band_setting:
      return row.bands[band].settings.push_back(setting);
  }
}

ManifestColumns::ManifestColumns(const TextLayout& layout, const TextLines& lines)
    : lines_(lines), meanings_(layout.fields) {
  for (const TextLayout::Column& column : layout.columns) add_band(column.head.name);
  check_bands();
  for (const TextLayout::Column& column : layout.columns) meanings_[column.field] = meaning_of(column.head.name);
  const auto has = [&](std::string ManifestFields::*text) {
    return std::ranges::count(meanings_, text, &Meaning::text) > 0;
  };
  if (!has(&ManifestFields::path) && !(!bands_.empty() && has(&ManifestFields::detect)))
    fail_at_line(lines, "no column is called 'path'; a manifest names the file of every image in one");
}

std::vector<std::string> ManifestColumns::foreign(const TextLayout& layout) const {
  std::vector<std::string> names;
  for (const TextLayout::Column& column : layout.columns)
    if (meanings_[column.field].of == Meaning::Of::nothing) names.push_back(column.head.name);
  return names;
}

ManifestFields ManifestColumns::read(TextLines& lines, const TextLayout& layout, FieldSplitter& splitter) const {
  ManifestFields row{.bands = bands_};
  split_row(lines, layout, splitter, [&](std::size_t index, std::string_view field) {
    if (index < meanings_.size() && !field.empty()) meanings_[index].take(field, row);
  });
  std::erase_if(row.bands, [](const ManifestFields::Band& band) { return band.path.empty() && band.settings.empty(); });
  return row;
}

void ManifestColumns::add_band(const std::string& column) {
  if (!column.starts_with(band_mark)) return;
  const std::string name = column.substr(band_mark.size());
  if (name.find(':') == name.npos) bands_.push_back({name});
}

void ManifestColumns::check_bands() const {
  std::vector<std::string> names;
  for (const ManifestFields::Band& band : bands_) names.push_back(band.name);
  if (const std::string problem = problem_of_bands(names); !problem.empty())
    fail_at_line(lines_, "columns 'band:NAME': " + problem);
}

ManifestColumns::Meaning ManifestColumns::meaning_of(const std::string& column) const {
  using Of = Meaning::Of;
  for (const auto& [name, text] : columns_of_text)
    if (column == name) return {.of = Of::text, .text = text};
  if (column.starts_with(detect_mark)) {
    const std::string key = checked_key(column.substr(detect_mark.size()), column, detect_mark);
    require_detection_settings({key}, {.detect_set = place_of_line(lines_) + ": " + std::string(detect_mark)});
    return {Of::detect_setting, key};
  }
  if (column.starts_with(reference_mark)) {
    const std::string key = checked_key(column.substr(reference_mark.size()), column, reference_mark);
    require_reference_settings({key}, {.reference_set = place_of_line(lines_) + ": " + std::string(reference_mark)});
    return {Of::reference_setting, key};
  }
  if (column.starts_with(band_mark)) return of_band(column);
  if (column.find('.') != column.npos && column.find(':') == column.npos)
    return {Of::setting, checked_key(column, column, "")};
  if (const std::string problem = problem_of_foreign_column(column, config_keys()); !problem.empty())
    fail_at_line(lines_, problem);
  return {};
}

ManifestColumns::Meaning ManifestColumns::of_band(const std::string& column) const {
  const std::size_t end = column.find(':', band_mark.size());
  const std::string name = column.substr(band_mark.size(), end - band_mark.size());
  const auto band = std::ranges::find(bands_, name, &ManifestFields::Band::name);
  if (band == bands_.end())
    fail_at_line(lines_, "column '" + column +
                             "' is for a band that there is none of; name its files in a column 'band:" + name + "'");
  const auto number = static_cast<std::size_t>(band - bands_.begin());
  if (end == column.npos) return {Meaning::Of::band, "", number};
  const std::string key = checked_key(column.substr(end + 1), column, column.substr(0, end + 1));
  if (const std::string problem = problem_of_band_setting(key + "="); !problem.empty())
    fail_at_line(lines_, "column '" + column + "': " + problem);
  return {Meaning::Of::band_setting, key, number};
}

std::string ManifestColumns::checked_key(const std::string& key, const std::string& column,
                                         std::string_view mark) const {
  const std::size_t dot = key.find('.');
  if (dot == key.npos)
    fail_at_line(lines_, "column '" + column + "' is no key; write " + std::string(mark) + "section.key, as in " +
                             std::string(mark) + "weights.file");
  require_key(key.substr(0, dot), key.substr(dot + 1), place_of_line(lines_));
  return key;
}

}  // namespace srcextract
