#include "io/catalog/catalog_rows.hpp"

#include <algorithm>
#include <string_view>

#include "stages/catalogue/vignet_column.hpp"

namespace srcextract {
namespace {

FieldValues<float> pictures(const Vignets& vignets) {
  const auto width = static_cast<std::size_t>(vignets.size.width),
             all = width * static_cast<std::size_t>(vignets.size.height);
  FieldValues<float> values{{}, all, all > 1 ? width : 0};
  const float* const first = vignets.pixels.data();  // null if there are no sources
  for (std::size_t i = 0; i < all; ++i) values.elements.push_back(first == nullptr ? nullptr : first + i);
  return values;
}

}  // namespace

CatalogRows rows_of(const Sources& sources, Vectors vectors, const Vignets& vignets) {
  CatalogRows rows{{}, sources.size()};
  for_each_column(WrittenColumns{sources}, [&]<class T>(const Column& column, const std::vector<T>& values) {
    const std::string_view common = common_name(column.name);
    const auto first =
        vectors == Vectors::apart || common == column.name
            ? rows.fields.end()
            : std::ranges::find(rows.fields, common, [](const CatalogField& f) { return f.column.name; });
    if (first == rows.fields.end()) {
      rows.fields.push_back({column, FieldValues<T>{{values.data()}}});
    } else {
      std::get<FieldValues<T>>(first->values).elements.push_back(values.data());
    }
  });
  if (vignets.size.any() && vectors == Vectors::joined) rows.fields.push_back({vignet_column, pictures(vignets)});
  return rows;
}

CatalogRows rows_of(const Table& table) {
  CatalogRows rows{{}, table.rows};
  for (const TableColumn& column : table.columns) {
    const Column head{column.name.c_str(), column.unit.c_str(), column.ucd.c_str(), column.description.c_str(), 0};
    std::visit(
        [&]<class T>(const std::vector<T>& values) {
          rows.fields.push_back({head, FieldValues<T>{{values.data()}}});
        },
        column.values);
  }
  return rows;
}

}  // namespace srcextract
