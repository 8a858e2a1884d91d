#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "stages/catalogue/table.hpp"

namespace srcextract {

enum class TableFormat { fits, ecsv, csv, votable, ascii_head, parquet };

/// What a file says about one of its columns before a row is read. An element of a column of vectors is a column of
/// its own: FLUX_APER, FLUX_APER_1, FLUX_APER_2, ... as Astropy names those of SExtractor.
struct ColumnHead {
  std::string name, unit, ucd, description;
};

/// Memory that reading a table may take.
struct TableRoom {
  std::int64_t bytes = std::numeric_limits<std::int64_t>::max();
  std::int64_t beside_row = 0;  ///< what the caller is going to need for each row, which counts as well
};

/// A catalogue on disk, told by its contents and not by its name, gzipped or not. `path` may end in the extension to
/// use, `m31.fits[LDAC_OBJECTS]` or `m31.fits[2]`; without one it is the first that holds a table, and that is not the
/// LDAC_IMHEAD that precedes it in a FITS_LDAC file.
struct TableFile {
  std::string path;  ///< of the file alone
  int hdu = 0;       ///< of a FITS file; 0 is the primary HDU
  TableFormat format = TableFormat::fits;
  std::vector<ColumnHead> columns;
  TableRoom room = {};
};

/// Reads the header. Throws Error{input} that names the path, for text the line, what is wrong and what to try: no such
/// file, not a table, no column, two columns of one name, a header that contradicts itself. Throws Error{memory} if a
/// gzipped FITS file, inflated, has no room.
TableFile open_table(const std::string& path, TableRoom room = {});

/// Reads the columns of these indices, in this order, row after row: of the rest of the file nothing is kept. Throws
/// Error{input} naming path, and line or row, if the file is damaged, cut short, or a field is not what its column
/// says; Error{memory} if there is not enough memory. FITS and Parquet tell how many rows they have, so that it is
/// thrown before a row is read; of the others while they are read, within the room.
Table read_table(const TableFile& file, const std::vector<std::size_t>& columns);

}  // namespace srcextract
