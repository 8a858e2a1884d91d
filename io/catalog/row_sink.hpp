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

/// Begins a table of the fields of `rows`, and of `count` rows in all; the values of `rows` are not looked at. The
/// file, the metadata and `where` have to live as long as the sink.
using BeginRows = std::unique_ptr<RowSink>(OutputFile& file, const CatalogRows& rows, std::int64_t count,
                                           const CatalogMetadata& metadata, const Cpu& where);
BeginRows ecsv_sink, csv_sink;
/// Apache Parquet with PLAIN pages. Holds the rows of two row groups, of up to 2^17 or 64 MB, one of which is being
/// written in a thread of its own, and of others some bytes a column in the footer; which rows are a group does not
/// depend on the pieces. Columns of text that is no UTF-8 have U+FFFD for every byte of that. `where` has the threads
/// that compress.
BeginRows parquet_sink;

/// VOTables whose rows are a BINARY2 stream, and TABLEDATA.
BeginRows votable_sink, votable_text_sink;

/// The headers of SExtractor's text: none (ASCII), a line for every column (ASCII_HEAD), or what SkyCat asks for, and
/// tabs between the columns (ASCII_SKYCAT).
enum class SextractorHeader { none, head, skycat };

/// SExtractor's text: columns under each other; of a vector the elements side by side, of which ASCII_HEAD names the
/// first. Blanks in names become '_'. Numbers read back to the same bits.
std::unique_ptr<RowSink> sextractor_text_sink(OutputFile& file, const CatalogRows& rows, std::int64_t count,
                                              const CatalogMetadata& metadata, SextractorHeader header);
BeginRows ascii_head_sink;

/// SExtractor's tables: of the sources alone (FITS_1.0), or after a table of one row that has the header of the image
/// (FITS_LDAC, of metadata.head).
enum class SextractorTable { objects, ldac };

/// Writes one of them, whose columns are of the types that they have there, which is what PSFEx takes them for; after
/// those of other images, if the file holds some. Columns of text are as long as the longest in `rows`, and longer text
/// that comes later is Error{internal}.
std::unique_ptr<RowSink> sextractor_table_sink(OutputFile& file, const CatalogRows& rows, std::int64_t count,
                                               const CatalogMetadata& metadata, const Cpu& where,
                                               SextractorTable table);
BeginRows ldac_sink;

/// Regions on the sky, for DS9 and as CASA's text: at ALPHA_J2000, DELTA_J2000 ellipses of 3 A_WORLD x 3 B_WORLD at
/// THETA_J2000, or points where there are no such columns or no such values; labelled by NUMBER, if that is there. A
/// source without a position has no region. Throw Error{config} if there are no columns of positions.
BeginRows region_sink, crtf_sink;

/// That of a format; FITS has none, and is written otherwise.
BeginRows* sink_of(CatalogFormat format);

/// Whether vectors are one column in a table of so many rows.
Vectors vectors_in(CatalogFormat format, std::int64_t rows);

/// Writes all rows.
void write_all(RowSink& sink, const CatalogRows& rows);
void write_all(CatalogFormat format, OutputFile& file, const CatalogRows& rows, const CatalogMetadata& metadata,
               const Cpu& where);

}  // namespace srcextract
