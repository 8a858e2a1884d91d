#include "pipeline/extract/add_sky_columns.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "io/wcs/look_at_sky.hpp"
#include "stages/catalogue/declared_columns.hpp"
#include "stages/photometry/sky_columns.hpp"

namespace srcextract {
namespace {

/// Whether a column is of the size of a pixel alone: neither a position nor the direction of north counts.
bool is_of_size_alone(const SkyColumn& column) {
  const auto& value = column.value;
  return value == &SkyRow::a || value == &SkyRow::b || value == &SkyRow::polarisation || value == &SkyRow::area ||
         value == &SkyRow::width;
}

/// The sky about any position of an image without a WCS, by the side of a pixel in degrees. Lengths and areas are
/// right; where a pixel is, and where north is, nobody knows.
LocalSky sky_of_pixels(double side) {
  const SkySteps steps = {.east = {side, 0}, .north = {0, side}};
  LocalSky sky{};
  sky.native_steps = sky.j2000_steps = sky.b1950_steps = steps;
  return sky;
}

/// Adds `columns`, which are all computed from the measured columns `needs`. The sky is that of the header, or that of
/// pixels with a `side` above 0, in degrees. Adds none if the header has no usable WCS and `side` is 0.
void add_columns_of(const ColumnNeeds& needs, const std::vector<SkyColumn>& columns, const std::string& header,
                    double side, bool all_in_j2000, Sources& sources, const Cpu& where) {
  std::array<std::vector<double>, std::tuple_size_v<ColumnNeeds>> given;
  for (std::size_t i = 0; i < needs.size(); ++i) given[i] = numbers_of(sources, needs[i]);
  std::vector<std::vector<double>> filled(columns.size(), std::vector<double>(given[0].size()));
  const auto keep = [&](std::size_t i, const LocalSky& sky) {
    const LocalSky asked = all_in_j2000 ? in_j2000(sky) : sky;
    SkyRow row{asked, {}};
    for (std::size_t k = 0; k < row.turned.size(); ++k) row.turned[k] = given[k + 2].empty() ? 0 : given[k + 2][i];
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const double value = (row.*columns[c].value)();
      filled[c][i] = value == value ? value : undefined_value;
    }
  };
  if (side > 0)
    for (std::size_t i = 0; i < given[0].size(); ++i) keep(i, sky_of_pixels(side));
  else if (!look_at_sky(header, given[0], given[1], keep, where).empty())
    return;
  for (std::size_t c = 0; c < columns.size(); ++c)
    sources.add({columns[c].declared.column, columns[c].declared.column.name, std::move(filled[c])});
}

}  // namespace

void add_sky_columns(const std::string& header, const Config& config, Sources& sources, const Cpu& where) {
  const bool by_wcs = sources.has(columns::alpha_j2000);
  const double side = by_wcs ? 0 : config.measurement.pixel_scale / 3600;
  if ((!by_wcs && side == 0) || config.output.columns == OutputConfig{}.columns) return;
  const ColumnChoice choice(config.output.columns);
  std::vector<std::pair<ColumnNeeds, std::vector<SkyColumn>>> groups;
  for (const SkyColumn& column : sky_columns) {
    const ColumnNeeds& needs = column.declared.needs;
    const auto is_there = [&](std::string_view name) { return name.empty() || sources.has(name); };
    if (!choice.has(column.declared.column.name) || !std::ranges::all_of(needs, is_there)) continue;
    if (!by_wcs && !is_of_size_alone(column)) continue;
    if (groups.empty() || groups.back().first != needs) groups.push_back({needs, {}});
    groups.back().second.push_back(column);
  }
  for (const auto& [needs, columns] : groups)
    add_columns_of(needs, columns, header, side, config.kept.as_sextractor, sources, where);
}

bool needs_pixel_size_alone(std::string_view word) {
  return std::ranges::any_of(sky_columns, [&](const SkyColumn& column) {
    return word == column.declared.column.name && is_of_size_alone(column);
  });
}

bool is_on_sky(std::string_view word) {
  if (word == columns::alpha_j2000.name || word == columns::delta_j2000.name) return true;
  return std::ranges::any_of(declared_columns(), [&](const DeclaredColumn& one) {
    return one.is_on_sky() && (word == one.column.name || word == one.group);
  });
}

}  // namespace srcextract
