#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/files/output_file.hpp"
#include "io/fits/datasum.hpp"
#include "io/fits/table_head.hpp"

namespace srcextract {

/// Writes tables one after the other; rows are given as bytes in the layout of FITS. Throws Error{output} or
/// Error{storage}.
class StoredTables {
 public:
  virtual ~StoredTables() = default;

  /// Ends the previous table and begins a new table.
  virtual void begin(const TableHead& head) = 0;

  /// Writes whole rows. Few calls with some MB each are fastest.
  virtual void write(std::span<const std::byte> rows) = 0;

  /// Ends the last table and commits the files of the tables, together with the files `beside`. All files are complete
  /// before the first of them replaces an older file.
  virtual void commit(std::vector<OutputFile> beside) = 0;
};

/// Tables that are written to files of their own.
class FileTables : public StoredTables {
 public:
  /// Ends the last table. Returns the files, which the caller must commit.
  virtual std::vector<OutputFile> finish() = 0;
  void commit(std::vector<OutputFile> beside) override;
};

/// Writes tables to a FITS file with checksums (FITS Standard 4.0, 4.4.2.7). Rows are written at once rather than kept
/// in memory. begin() throws Error{config} for a table of more than 999 columns.
class TableStream final : public FileTables {
 public:
  explicit TableStream(const std::string& path);

  void begin(const TableHead& head) override;
  void write(std::span<const std::byte> rows) override;
  std::vector<OutputFile> finish() override;

 private:
  void end();

  OutputFile file_;
  std::int64_t begin_ = 0;     ///< offset of the current table in the file
  std::string header_;         ///< header of the current table; empty before the first table
  std::int64_t bytes_ = 0;     ///< bytes of rows written so far
  std::int64_t expected_ = 0;  ///< bytes of all rows that the header states
  std::optional<Datasum> sum_;
};

}  // namespace srcextract
