#pragma once

#include <cstdint>
#include <variant>

#include "io/catalog/catalog.hpp"
#include "io/files/output_file.hpp"
#include "stages/catalogue/table.hpp"

namespace srcextract {

/// Calls f(Column, vector) for each column, as it is called for those of Sources: the writers take either.
template <class F>
void for_each_column(const Table& table, F&& f) {
  for (const TableColumn& column : table.columns) {
    const Column head{column.name.c_str(), column.unit.c_str(), column.ucd.c_str(), column.description.c_str(), 0};
    std::visit([&](const auto& values) { f(head, values); }, column.values);
  }
}

inline std::int64_t row_count(const WrittenColumns& columns) {
  return columns.sources.size();
}
inline std::int64_t row_count(const Table& table) {
  return table.rows;
}

/// The FITS unit string of a column, empty if dimensionless.
std::string unit_of(const Column& column, const CatalogMetadata& metadata);

/// One writer per format of write_catalog and write_table.
void write_fits_catalog(OutputFile& file, const Sources& sources, const CatalogMetadata& metadata, const Cpu& where);
void write_fits_catalog(OutputFile& file, const Table& table, const CatalogMetadata& metadata, const Cpu& where);
void write_ecsv_catalog(OutputFile& file, const Sources& sources, const CatalogMetadata& metadata);
void write_ecsv_catalog(OutputFile& file, const Table& table, const CatalogMetadata& metadata);
void write_csv_catalog(OutputFile& file, const Sources& sources);
void write_csv_catalog(OutputFile& file, const Table& table);
void write_regions(OutputFile& file, const Sources& sources);

}  // namespace srcextract
