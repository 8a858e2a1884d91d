#pragma once

#include <cstdint>
#include <memory>

#include "io/catalog/catalog.hpp"
#include "io/catalog/catalog_rows.hpp"
#include "io/files/output_file.hpp"
#include "stages/core/exec.hpp"

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

/// The headers of SExtractor's text: none (ASCII), a line for every column (ASCII_HEAD), or what SkyCat asks for, and
/// tabs between the columns (ASCII_SKYCAT).
enum class SextractorHeader { none, head, skycat };

/// SExtractor's text: columns under each other; of a vector the elements side by side, of which ASCII_HEAD names the
/// first. Blanks in names become '_'. Numbers read back to the same bits.
std::unique_ptr<RowSink> sextractor_text_sink(OutputFile& file, const CatalogRows& rows, std::int64_t count,
                                              const CatalogMetadata& metadata, SextractorHeader header);
inline std::unique_ptr<RowSink> ascii_head_sink(OutputFile& file, const CatalogRows& rows, std::int64_t count,
                                                const CatalogMetadata& metadata) {
  return sextractor_text_sink(file, rows, count, metadata, SextractorHeader::head);
}

/// SExtractor's tables: of the sources alone (FITS_1.0), or after a table of one row that has the header of the image
/// (FITS_LDAC, of metadata.head).
enum class SextractorTable { objects, ldac };

/// Writes one of them, whose columns are of the types that they have there, which is what PSFEx takes them for; after
/// those of other images, if the file holds some. Columns of text are as long as the longest in `rows`, and longer text
/// that comes later is Error{internal}.
std::unique_ptr<RowSink> sextractor_table_sink(OutputFile& file, const CatalogRows& rows, std::int64_t count,
                                               const CatalogMetadata& metadata, const Cpu& where,
                                               SextractorTable table);
inline std::unique_ptr<RowSink> ldac_sink(OutputFile& file, const CatalogRows& rows, std::int64_t count,
                                          const CatalogMetadata& metadata, const Cpu& where) {
  return sextractor_table_sink(file, rows, count, metadata, where, SextractorTable::ldac);
}
inline auto ldac_sink_on(const Cpu& where) {
  return [where](OutputFile& file, const CatalogRows& rows, std::int64_t count, const CatalogMetadata& metadata) {
    return ldac_sink(file, rows, count, metadata, where);
  };
}

/// VOTables whose rows are a BINARY2 stream, and TABLEDATA.
std::unique_ptr<RowSink> votable_sink(OutputFile& file, const CatalogRows& rows, std::int64_t count,
                                      const CatalogMetadata& metadata);
std::unique_ptr<RowSink> votable_text_sink(OutputFile& file, const CatalogRows& rows, std::int64_t count,
                                           const CatalogMetadata& metadata);

/// Regions on the sky, for DS9 and as CASA's text: at ALPHA_J2000, DELTA_J2000 ellipses of 3 A_WORLD x 3 B_WORLD at
/// THETA_J2000, or points where there are no such columns or no such values; labelled by NUMBER, if that is there. A
/// source without a position has no region. Throw Error{config} if there are no columns of positions.
std::unique_ptr<RowSink> region_sink(OutputFile& file, const CatalogRows& rows, std::int64_t count,
                                     const CatalogMetadata& metadata);
std::unique_ptr<RowSink> crtf_sink(OutputFile& file, const CatalogRows& rows, std::int64_t count,
                                   const CatalogMetadata& metadata);

/// Writes all rows by one of these.
template <class Sink>
void write_all(const Sink& begin, OutputFile& file, const CatalogRows& rows, const CatalogMetadata& metadata) {
  const std::unique_ptr<RowSink> sink = begin(file, rows, rows.count, metadata);
  sink->write(rows);
  sink->finish();
}

}  // namespace srcextract
