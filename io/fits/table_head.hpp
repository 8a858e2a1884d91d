#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/files/output_file.hpp"

namespace srcextract {

/// A column of a FITS binary table, from its header.
struct StoredColumn {
  std::string name, form, unit, ucd, description;  ///< TTYPE, TFORM, TUNIT, TUCD, TCOMM
  std::optional<std::int64_t> null = {};           ///< TNULL; used by the writer only
  std::int64_t bytes = 0;                          ///< bytes per row
  std::string dim = {};                            ///< TDIM, for pictures

  bool operator==(const StoredColumn&) const = default;
};

/// Header data of a table.
struct TableHead {
  std::string name;  ///< EXTNAME
  std::vector<StoredColumn> columns;
  std::int64_t rows = 0;
  std::string creator;               ///< program that wrote this file
  std::vector<std::string> history;  ///< lines of HISTORY

  bool operator==(const TableHead&) const = default;
};

/// Whether the header has the keywords CHECKSUM and DATASUM, for the sums of an HDU.
enum class Checksums { none, placeholders };

/// The primary header without data and the header of the table, as CFITSIO writes them. Texts longer than a card go on
/// in CONTINUE cards.
std::string table_header(TableHead head, Checksums checksums);

/// The header with another number of rows in its table.
std::string with_rows(std::string header, std::int64_t rows);

/// The cards and END, in whole records.
std::string whole_header(std::string cards);

/// Writes zeros that pad `bytes` bytes of data to whole records.
void fill_record(OutputFile& file, std::int64_t bytes);

}  // namespace srcextract
