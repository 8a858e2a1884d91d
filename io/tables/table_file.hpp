#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "stages/catalogue/table.hpp"

namespace srcextract {

enum class TableFormat { fits, ecsv, csv, votable, ascii_head, parquet };

/// Description of a column, from the header of a table. Each element of a vector column counts as a column: FLUX_APER,
/// FLUX_APER_1, FLUX_APER_2, ..., the names that Astropy gives to the elements of SExtractor's vectors.
struct ColumnHead {
  std::string name, unit, ucd, description;
};

/// Limit on the memory that reading a table may take.
struct TableRoom {
  std::int64_t bytes = std::numeric_limits<std::int64_t>::max();
  std::int64_t beside_row = 0;  ///< bytes that the caller needs for each row besides the table
};

/// A catalogue on disk, gzipped or not; a gzipped Parquet file is refused. The contents of the file, not its name,
/// decide the format. In a FITS file the user may name an extension, `m31.fits[LDAC_OBJECTS]` or `m31.fits[2]`. Without
/// a name the first table is read, except the LDAC_IMHEAD of a FITS_LDAC file.
struct TableFile {
  std::string path;  ///< path of the file, without the name of an extension
  int hdu = 0;       ///< index of the table's HDU in a FITS file; 0 is the primary HDU
  TableFormat format = TableFormat::fits;
  std::vector<ColumnHead> columns;
  TableRoom room = {};
};

/// Opens a table and reads its header. Throws Error{input} if:
/// - the file does not exist or has no table,
/// - the table has no column, or two columns of the same name,
/// - the header contradicts itself.
///
/// The message has the path, the line of a text file, the problem and a remedy. Throws Error{memory} if an inflated
/// FITS file exceeds the memory limit.
TableFile open_table(const std::string& path, TableRoom room = {});

/// Reads the columns with these indices in file.columns, in this order; other columns take no memory. Throws
/// Error{input} with the path, and the line or row, if the file is damaged or cut short, or if a field has the wrong
/// type. Throws Error{memory} if the table exceeds the memory limit. For FITS and Parquet, whose headers state the
/// number of rows, that happens before the first row is read, for other formats while reading.
Table read_table(const TableFile& file, const std::vector<std::size_t>& columns);

/// Returns where row `row` (from 0) is in the file, for messages. For CSV and ECSV the result is the first line of the
/// row, such as "line 7"; place_of_row() reads the file up to there. For other formats the result is the row number
/// from 1, such as "row 5".
std::string place_of_row(const TableFile& file, std::int64_t row);

}  // namespace srcextract
