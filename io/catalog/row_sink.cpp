#include "io/catalog/row_sink.hpp"

#include "stages/core/error.hpp"

namespace srcextract {

BeginRows* sink_of(CatalogFormat format) {
  switch (format) {
    case CatalogFormat::fits:
      return fits_sink;
    case CatalogFormat::ldac:
      return ldac_sink;
    case CatalogFormat::ecsv:
      return ecsv_sink;
    case CatalogFormat::csv:
      return csv_sink;
    case CatalogFormat::ascii_head:
      return ascii_head_sink;
    case CatalogFormat::votable:
      return votable_sink;
    case CatalogFormat::votable_text:
      return votable_text_sink;
    case CatalogFormat::parquet:
      return parquet_sink;
    case CatalogFormat::reg:
      return region_sink;
    case CatalogFormat::crtf:
      return crtf_sink;
  }
  throw Error(ErrorKind::internal, "a format of catalogues has no writer; please report this");
}

Vectors vectors_in(CatalogFormat format, std::int64_t rows) {
  // Astropy (5.2) cannot read a vector column of an ECSV table without rows. In ASCII_HEAD, the length of the last
  // vector can be found only from a row.
  if (format == CatalogFormat::ecsv || format == CatalogFormat::ascii_head)
    return rows > 0 ? Vectors::joined : Vectors::apart;
  return format == CatalogFormat::csv ? Vectors::apart : Vectors::joined;
}

void write_all(RowSink& sink, const CatalogRows& rows) {
  sink.write(rows);
  sink.finish();
}

void write_all(CatalogFormat format, OutputFile& file, const CatalogRows& rows, const CatalogMetadata& metadata,
               const Cpu& where) {
  write_all(*sink_of(format)(file, rows, rows.count, metadata, where), rows);
}

}  // namespace srcextract
