#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/files/output_file.hpp"
#include "io/fits/datasum.hpp"
#include "io/tables/stored_table.hpp"

namespace srcextract {

/// What a table begins with.
struct TableHead {
  std::string name;  ///< EXTNAME
  std::vector<StoredColumn> columns;
  std::int64_t rows = 0;
  std::string creator;               ///< program that wrote this file
  std::vector<std::string> history;  ///< lines of HISTORY
};

/// Writes a FITS file of binary tables, one after the other, with their checksums (FITS Standard 4.0, 4.4.2.7). Rows
/// come as they are stored, and nothing is kept of them. Throws Error{output}; Error{config} of a table of more than
/// 999 columns.
class TableStream {
 public:
  explicit TableStream(const std::string& path);

  /// Ends the table before, and begins one.
  void begin(const TableHead& head);

  /// Whole rows; pieces of some MB are fast.
  void write(std::span<const std::byte> rows);

  /// Ends the last table, and replaces what is at the path.
  void commit();

 private:
  void end();

  OutputFile file_;
  std::int64_t begin_ = 0;     ///< where the table begins in the file
  std::string header_;         ///< of the table; empty before the first
  std::int64_t bytes_ = 0;     ///< of its data that were written
  std::int64_t expected_ = 0;  ///< of its data in the end
  std::optional<Datasum> sum_;
};

}  // namespace srcextract
