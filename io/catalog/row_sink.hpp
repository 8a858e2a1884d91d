#pragma once

#include <cstdint>
#include <memory>

#include "io/catalog/catalog.hpp"
#include "io/catalog/catalog_rows.hpp"
#include "io/files/output_file.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// Writes a table in pieces, so that memory does not grow with its number of rows. Throws Error{output}.
class RowSink {
 public:
  virtual ~RowSink() = default;

  /// Writes the next rows, whose fields are those given when the sink was made.
  virtual void write(const CatalogRows& rows) = 0;

  /// Writes the end of the table; the caller commits the file.
  virtual void finish() {}
};

/// Begins a table with the fields of `rows` and `count` rows in all; values of `rows` are read only for the width of
/// text columns in FITS. File, metadata and `where` must outlive the sink.
using BeginRows = std::unique_ptr<RowSink>(OutputFile& file, const CatalogRows& rows, std::int64_t count,
                                           const CatalogMetadata& metadata, const Cpu& where);
BeginRows ecsv_sink, csv_sink;

/// A FITS table in the first extension. Text columns are as wide as the longest text in `rows`; longer text later
/// throws Error{internal}.
BeginRows fits_sink;

/// Apache Parquet with PLAIN pages.
/// - Memory: two row groups of up to 2^17 rows or 64 MB, and a few bytes per column and earlier group. A separate
///   thread writes one of the two.
/// - Row groups do not depend on the pieces.
/// - Each byte of text that is not UTF-8 becomes U+FFFD.
/// - The threads of `where` compress.
BeginRows parquet_sink;

/// VOTables with rows as a BINARY2 stream, or as TABLEDATA.
BeginRows votable_sink, votable_text_sink;

/// Header of SExtractor's text formats: none (ASCII), one line per column (ASCII_HEAD), or SkyCat's header with tabs
/// between columns (ASCII_SKYCAT).
enum class SextractorHeader { none, head, skycat };

/// SExtractor's text, with aligned columns. The elements of a vector stand side by side; ASCII_HEAD names the first
/// one. Blanks in names become '_'. Numbers read back to the same bits.
std::unique_ptr<RowSink> sextractor_text_sink(OutputFile& file, const CatalogRows& rows, std::int64_t count,
                                              const CatalogMetadata& metadata, SextractorHeader header);
BeginRows ascii_head_sink;

/// SExtractor's FITS tables: FITS_1.0 has the sources alone. In FITS_LDAC a table of one row precedes them, with the
/// image header (metadata.head).
enum class SextractorTable { objects, ldac };

/// Begins one of SExtractor's tables, behind tables that the file holds already. Columns have SExtractor's types,
/// because PSFEx relies on them. Text columns are as wide as the longest text in `rows`; longer text later throws
/// Error{internal}.
std::unique_ptr<RowSink> sextractor_table_sink(OutputFile& file, const CatalogRows& rows, std::int64_t count,
                                               const CatalogMetadata& metadata, const Cpu& where,
                                               SextractorTable table);
BeginRows ldac_sink;

/// Regions on the sky for DS9 and CASA. A row becomes an ellipse of 3 A_WORLD x 3 B_WORLD at ALPHA_J2000, DELTA_J2000
/// and angle THETA_J2000. Without a size or angle it becomes a point, and without a position nothing. NUMBER is the
/// label, if there is one. Throw Error{config} if there are no position columns.
BeginRows region_sink, crtf_sink;

/// The sink of a format.
BeginRows* sink_of(CatalogFormat format);

/// Whether columns of one common name form one vector column, in a table of that format and number of rows.
Vectors vectors_in(CatalogFormat format, std::int64_t rows);

/// Writes all rows and the end of the table.
void write_all(RowSink& sink, const CatalogRows& rows);
void write_all(CatalogFormat format, OutputFile& file, const CatalogRows& rows, const CatalogMetadata& metadata,
               const Cpu& where);

}  // namespace srcextract
