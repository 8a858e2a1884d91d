#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "stages/catalogue/table.hpp"

namespace srcextract {

enum class TableFormat { fits, ecsv, csv, votable, ascii_head, parquet };

/// Description of a column in the header of a file. Each element of a vector column is a column of its own: FLUX_APER,
/// FLUX_APER_1, FLUX_APER_2, ..., as Astropy names SExtractor's.
struct ColumnHead {
  std::string name, unit, ucd, description;
};

/// Memory limit for reading a table.
struct TableRoom {
  std::int64_t bytes = std::numeric_limits<std::int64_t>::max();
  std::int64_t beside_row = 0;  ///< further bytes that the caller needs per row, to be counted too
};

/// A catalogue on disk, gzipped or not; its contents decide the format, not its name. `path` may name an extension,
/// `m31.fits[LDAC_OBJECTS]` or `m31.fits[2]`. The default is the first table, except the LDAC_IMHEAD of a FITS_LDAC
/// file.
struct TableFile {
  std::string path;  ///< path without extension
  int hdu = 0;       ///< HDU in a FITS file; 0 is the primary
  TableFormat format = TableFormat::fits;
  std::vector<ColumnHead> columns;
  TableRoom room = {};
};

/// Reads the header. Throws Error{input} with path, line (for text), problem and remedy. Problems are:
/// - no such file, or no table,
/// - no column, or two columns of one name,
/// - a header that contradicts itself.
///
/// Throws Error{memory} if an inflated FITS file exceeds the room.
TableFile open_table(const std::string& path, TableRoom room = {});

/// Reads the columns of these indices, in this order; other columns take no memory. Throws Error{input} with path, and
/// line or row, if the file is damaged or cut short, or if a field has the wrong type. Throws Error{memory} if the room
/// is too small: before the first row for FITS and Parquet, which state their number of rows, else while reading.
Table read_table(const TableFile& file, const std::vector<std::size_t>& columns);

/// Place of row `row` (from 0), for messages: "line 7", where the row begins, in CSV and ECSV; else "row 5", from 1.
/// For CSV and ECSV this reads the file up to that row.
std::string place_of_row(const TableFile& file, std::int64_t row);

}  // namespace srcextract
