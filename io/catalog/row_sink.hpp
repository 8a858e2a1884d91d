#pragma once

#include <cstdint>
#include <memory>

#include "io/catalog/catalog.hpp"
#include "io/catalog/catalog_rows.hpp"
#include "io/files/output_file.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// Writes a table in pieces, so that the whole table need not be in memory. Throws Error{output} or Error{storage}.
class RowSink {
 public:
  virtual ~RowSink() = default;

  /// Writes the next rows. The fields must be those for which the sink was made.
  virtual void write(const CatalogRows& rows) = 0;

  /// Writes the end of the table. The caller commits the file.
  virtual void finish() {}
};

/// Function that begins a table with the fields of `rows` and `count` rows in all. Values of `rows` are used only by
/// FITS formats, for the width of text columns. `file`, `metadata` and `where` must outlive the sink.
using BeginRows = std::unique_ptr<RowSink>(OutputFile& file, const CatalogRows& rows, std::int64_t count,
                                           const CatalogMetadata& metadata, const Cpu& where);
BeginRows ecsv_sink, csv_sink;

/// Begins a FITS table in the first extension. Text columns are as wide as the longest text in `rows`. write() throws
/// Error{internal} for longer text.
BeginRows fits_sink;

/// Begins an Apache Parquet file with PLAIN pages.
/// - The sink buffers two row groups of up to 2^17 rows or 64 MB each; a separate thread writes one of the two. Of
/// earlier row groups only a few bytes per column are kept.
/// - The division into row groups does not depend on how the rows are split into calls of write().
/// - Each byte of text that is not valid UTF-8 becomes U+FFFD.
/// - The threads of `where` compress.
BeginRows parquet_sink;

/// Begin a VOTable with rows as a BINARY2 stream, or as TABLEDATA.
BeginRows votable_sink, votable_text_sink;

/// Header of SExtractor's text formats: none (ASCII), one line per field (ASCII_HEAD), or SkyCat's header, with tabs
/// between columns (ASCII_SKYCAT).
enum class SextractorHeader { none, head, skycat };

/// Begins a table in SExtractor's text formats, with aligned columns. Elements of a vector are adjacent columns; the
/// header of ASCII_HEAD names only the first. Blanks in names become '_'. Numbers read back to the same bits.
std::unique_ptr<RowSink> sextractor_text_sink(OutputFile& file, const CatalogRows& rows,
                                              const CatalogMetadata& metadata, SextractorHeader header);
BeginRows ascii_head_sink;

/// SExtractor's FITS formats. FITS_1.0 (objects) has only the table of sources. In FITS_LDAC (ldac) a table of one row
/// with the image header, metadata.head, comes before.
enum class SextractorTable { objects, ldac };

/// Begins one of SExtractor's tables, after any tables that the file holds already. Columns have the same types as
/// SExtractor's, because PSFEx depends on these. Text columns are as wide as the longest text in `rows`. write() throws
/// Error{internal} for longer text.
std::unique_ptr<RowSink> sextractor_table_sink(OutputFile& file, const CatalogRows& rows, std::int64_t count,
                                               const CatalogMetadata& metadata, const Cpu& where,
                                               SextractorTable table);
BeginRows ldac_sink;

/// Begin a file of regions on the sky for DS9 or CASA. A row becomes an ellipse with semi-axes of 3 A_WORLD and 3
/// B_WORLD at ALPHA_J2000, DELTA_J2000 and angle THETA_J2000. A row without size or angle becomes a point, and a row
/// without position is left out. NUMBER, if the table has it, is the label. Throw Error{config} if the table has no
/// position columns.
BeginRows region_sink, crtf_sink;

BeginRows* sink_of(CatalogFormat format);

/// Returns whether columns with a common name are joined to vectors, in a table of that format and number of rows.
Vectors vectors_in(CatalogFormat format, std::int64_t rows);

void write_all(RowSink& sink, const CatalogRows& rows);
void write_all(CatalogFormat format, OutputFile& file, const CatalogRows& rows, const CatalogMetadata& metadata,
               const Cpu& where);

}  // namespace srcextract
