#pragma once

#include <cstdint>
#include <memory>

#include "io/catalog/catalog.hpp"
#include "io/catalog/catalog_rows.hpp"
#include "io/files/output_file.hpp"

namespace srcextract {

/// A table that is written piece by piece, so that memory does not grow with its rows. Throws Error{output}.
class RowSink {
 public:
  virtual ~RowSink() = default;

  /// The next rows, of the fields that the table was begun with.
  virtual void write(const CatalogRows& rows) = 0;

  /// What comes after the last row; the caller commits the file.
  virtual void finish() {}
};

/// Begins a table of the fields of `rows`, and of `count` rows in all; the values of `rows` are not looked at. The file
/// and the metadata have to live as long as the sink.
std::unique_ptr<RowSink> ecsv_sink(OutputFile& file, const CatalogRows& rows, std::int64_t count,
                                   const CatalogMetadata& metadata);
std::unique_ptr<RowSink> csv_sink(OutputFile& file, const CatalogRows& rows, std::int64_t count,
                                  const CatalogMetadata& metadata);
/// Apache Parquet with PLAIN pages. Holds the rows of one row group, up to 2^17 or 64 MB, and of others some bytes a
/// column in the footer; which rows are a group does not depend on the pieces. Columns of text that is no UTF-8 have
/// U+FFFD for every byte of that. `where` has the threads that compress.
std::unique_ptr<RowSink> parquet_sink(OutputFile& file, const CatalogRows& rows, std::int64_t count,
                                      const CatalogMetadata& metadata, const Cpu& where = {});

/// The same with these threads, as write_all takes it.
inline auto parquet_on(const Cpu& where) {
  return [&where](OutputFile& file, const CatalogRows& rows, std::int64_t count, const CatalogMetadata& metadata) {
    return parquet_sink(file, rows, count, metadata, where);
  };
}

/// Writes all rows by one of these.
template <class Sink>
void write_all(const Sink& begin, OutputFile& file, const CatalogRows& rows, const CatalogMetadata& metadata) {
  const std::unique_ptr<RowSink> sink = begin(file, rows, rows.count, metadata);
  sink->write(rows);
  sink->finish();
}

}  // namespace srcextract
