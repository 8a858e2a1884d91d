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

/// Adds `columns`, which are all computed from the measured columns `needs`. Adds none if the header has no usable WCS.
void add_columns_of(const ColumnNeeds& needs, const std::vector<SkyColumn>& columns, const std::string& header,
                    bool all_in_j2000, Sources& sources, const Cpu& where) {
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
  if (!look_at_sky(header, given[0], given[1], keep, where).empty()) return;
  for (std::size_t c = 0; c < columns.size(); ++c)
    sources.add({columns[c].declared.column, columns[c].declared.column.name, std::move(filled[c])});
}

}  // namespace

void add_sky_columns(const std::string& header, const Config& config, Sources& sources, const Cpu& where) {
  if (!sources.has(columns::alpha_j2000) || config.output.columns == OutputConfig{}.columns) return;
  const ColumnChoice choice(config.output.columns);
  std::vector<std::pair<ColumnNeeds, std::vector<SkyColumn>>> groups;
  for (const SkyColumn& column : sky_columns) {
    const ColumnNeeds& needs = column.declared.needs;
    const auto is_there = [&](std::string_view name) { return name.empty() || sources.has(name); };
    if (!choice.has(column.declared.column.name) || !std::ranges::all_of(needs, is_there)) continue;
    if (groups.empty() || groups.back().first != needs) groups.push_back({needs, {}});
    groups.back().second.push_back(column);
  }
  for (const auto& [needs, columns] : groups)
    add_columns_of(needs, columns, header, config.kept.as_sextractor, sources, where);
}

bool is_on_sky(std::string_view word) {
  if (word == columns::alpha_j2000.name || word == columns::delta_j2000.name) return true;
  return std::ranges::any_of(declared_columns(), [&](const DeclaredColumn& one) {
    return one.is_on_sky() && (word == one.column.name || word == one.group);
  });
}

}  // namespace srcextract
