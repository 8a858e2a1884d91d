#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "stages/catalogue/position_columns.hpp"
#include "stages/measure/source_flags.hpp"
#include "stages/measure/usual_columns.hpp"

namespace srcextract::testing {

/// Sources with the usual columns, 0 in every row. Of the columns that only some catalogues have, those of `also`.
inline Sources usual_sources(std::size_t rows = 0, const std::vector<std::string_view>& also = {}) {
  Sources sources;
  const auto add = [&](const auto& column, CatalogPart part, bool always) {
    const char* const name = column.declared.column.name;
    if (always || std::ranges::count(also, name) > 0)
      sources.add({column.declared.column, name, column.zeros(rows), part});
  };
  for (const UsualColumn& column : usual_columns) add(column, CatalogPart::usual, column.is_there({}));
  for (const auto& column : flag_map_columns) add(column, CatalogPart::flag_maps, false);
  add(sign_column, CatalogPart::sign, false);
  for (const auto& column : sky_position_columns) add(column, CatalogPart::sky, false);
  sources.describe(columns::flags, flag::description_without_apertures);
  return sources;
}

/// The columns that only images with a celestial WCS have.
inline const std::vector<std::string_view> sky_names = {columns::alpha_j2000, columns::delta_j2000};

}  // namespace srcextract::testing
