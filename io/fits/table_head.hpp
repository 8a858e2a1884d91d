#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/files/output_file.hpp"

namespace srcextract {

/// A column of a FITS binary table, with the values of its header keywords.
struct StoredColumn {
  std::string name, form, unit, ucd, description;  ///< TTYPE, TFORM, TUNIT, TUCD, TCOMM
  std::optional<std::int64_t> null = {};           ///< TNULL, if missing integers have a value of their own
  std::int64_t bytes = 0;                          ///< length of the column in a row, in bytes
  std::string dim = {};                            ///< TDIM, used for columns of images

  bool operator==(const StoredColumn&) const = default;
};

struct TableHead {
  std::string name;  ///< EXTNAME
  std::vector<StoredColumn> columns;
  std::int64_t rows = 0;
  std::string creator;               ///< CREATOR, the program that wrote this file
  std::vector<std::string> history;  ///< texts of the HISTORY cards

  bool operator==(const TableHead&) const = default;
};

/// Whether the header has the keywords CHECKSUM and DATASUM, with zeros as values that the writer replaces later.
enum class Checksums { none, placeholders };

/// Returns the primary header without data, followed by the header of the table, as CFITSIO writes both. A text too
/// long for a card goes on in CONTINUE cards.
std::string table_header(TableHead head, Checksums checksums);

/// Returns the header with another number of rows, NAXIS2.
std::string with_rows(std::string header, std::int64_t rows);

/// Returns the header with END appended, padded with blanks to whole records.
std::string whole_header(std::string cards);

/// Writes the zeros that pad `bytes` bytes of data to whole records.
void fill_record(OutputFile& file, std::int64_t bytes);

}  // namespace srcextract
