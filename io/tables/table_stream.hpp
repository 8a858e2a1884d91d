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

/// Takes tables one after the other, their rows as a FITS table stores them. Throws Error{output}.
class StoredTables {
 public:
  virtual ~StoredTables() = default;

  /// Ends the table before, and begins one.
  virtual void begin(const TableHead& head) = 0;

  /// Whole rows; pieces of some MB are fast.
  virtual void write(std::span<const std::byte> rows) = 0;

  /// Ends the last table, and replaces what is in its place.
  virtual void commit() = 0;
};

/// Writes a FITS file of them, with their checksums (FITS Standard 4.0, 4.4.2.7). Nothing is kept of rows. Throws
/// Error{config} of a table of more than 999 columns.
class TableStream final : public StoredTables {
 public:
  explicit TableStream(const std::string& path);

  void begin(const TableHead& head) override;
  void write(std::span<const std::byte> rows) override;
  void commit() override;

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
