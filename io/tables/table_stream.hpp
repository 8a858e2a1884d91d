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

/// Writes tables one after the other, with rows as FITS stores them. Throws Error{output}.
class StoredTables {
 public:
  virtual ~StoredTables() = default;

  /// Ends the previous table and begins a new one.
  virtual void begin(const TableHead& head) = 0;

  /// Writes whole rows; pieces of some MB are fast.
  virtual void write(std::span<const std::byte> rows) = 0;

  /// Ends the last table and replaces the target file. The files `beside` belong to the tables: all of them are
  /// complete before the first replaces an older file.
  virtual void commit(std::vector<OutputFile> beside) = 0;
};

/// Tables in files of their own.
class FileTables : public StoredTables {
 public:
  /// Ends the last table. Returns the files, which the caller commits.
  virtual std::vector<OutputFile> finish() = 0;
  void commit(std::vector<OutputFile> beside) override;
};

/// Writes the tables to a FITS file with checksums (FITS Standard 4.0, 4.4.2.7), without keeping rows. Throws
/// Error{config} for a table of more than 999 columns.
class TableStream final : public FileTables {
 public:
  explicit TableStream(const std::string& path);

  void begin(const TableHead& head) override;
  void write(std::span<const std::byte> rows) override;
  std::vector<OutputFile> finish() override;

 private:
  void end();

  OutputFile file_;
  std::int64_t begin_ = 0;     ///< offset of the table in the file
  std::string header_;         ///< header of the table; empty before the first
  std::int64_t bytes_ = 0;     ///< data bytes written
  std::int64_t expected_ = 0;  ///< data bytes of the complete table
  std::optional<Datasum> sum_;
};

}  // namespace srcextract
