#include "io/catalog/table_writer.hpp"

#include "io/catalog/catalog_writers.hpp"
#include "io/catalog/row_sink.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

CatalogFormat table_format(const std::string& path) {
  if (path.ends_with(".fits")) return CatalogFormat::fits;
  if (path.ends_with(".ldac")) return CatalogFormat::ldac;
  if (path.ends_with(".ecsv")) return CatalogFormat::ecsv;
  if (path.ends_with(".csv")) return CatalogFormat::csv;
  if (path.ends_with(".txt")) return CatalogFormat::ascii_head;
  if (path.ends_with(".vot")) return CatalogFormat::votable;
  if (path.ends_with(".xml")) return CatalogFormat::votable_text;
  throw Error(ErrorKind::config, path +
                                     ": its ending tells no format to write; let the name end in .fits, .ldac, .ecsv, "
                                     ".csv, .txt, .vot or .xml");
}

OutputFile write_table(const std::string& path, const Table& table, const CatalogMetadata& metadata, const Cpu& where) {
  const CatalogFormat format = table_format(path);
  if (table.columns.empty()) {
    throw Error(ErrorKind::internal, path + ": a table without columns cannot be written; please report this");
  }
  OutputFile file(path);
  const CatalogRows rows = rows_of(table);
  if (format == CatalogFormat::fits) write_fits_catalog(file, rows, metadata, where);
  if (format == CatalogFormat::ldac) write_all(ldac_sink_on(where), file, rows, metadata);
  if (format == CatalogFormat::ecsv) write_all(ecsv_sink, file, rows, metadata);
  if (format == CatalogFormat::csv) write_all(csv_sink, file, rows, metadata);
  if (format == CatalogFormat::ascii_head) write_all(ascii_head_sink, file, rows, metadata);
  if (format == CatalogFormat::votable) write_all(votable_sink, file, rows, metadata);
  if (format == CatalogFormat::votable_text) write_all(votable_text_sink, file, rows, metadata);
  return file;
}

}  // namespace srcextract
