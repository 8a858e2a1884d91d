#include "io/catalog/table_writer.hpp"

#include "io/catalog/catalog_writers.hpp"
#include "io/catalog/row_sink.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

CatalogFormat table_format(const std::string& path) {
  if (path.ends_with(".fits")) return CatalogFormat::fits;
  if (path.ends_with(".ecsv")) return CatalogFormat::ecsv;
  if (path.ends_with(".csv")) return CatalogFormat::csv;
  if (path.ends_with(".parquet")) return CatalogFormat::parquet;
  throw Error(ErrorKind::config,
              path + ": its ending tells no format to write; let the name end in .fits, .ecsv, .csv or .parquet");
}

OutputFile write_table(const std::string& path, const Table& table, const CatalogMetadata& metadata, const Cpu& where) {
  const CatalogFormat format = table_format(path);
  if (table.columns.empty()) {
    throw Error(ErrorKind::internal, path + ": a table without columns cannot be written; please report this");
  }
  OutputFile file(path);
  const CatalogRows rows = rows_of(table);
  if (format == CatalogFormat::fits) {
    write_fits_catalog(file, rows, metadata, where);
  } else {
    write_all(format, file, rows, metadata, where);
  }
  return file;
}

}  // namespace srcextract
