#pragma once

#include <fitsio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/fits/fits_reader.hpp"

namespace srcextract {

/// Rows of a FITS table in memory, which CFITSIO opens as a file. The header is written anew from checked values and
/// states only the types, scales and null values of the columns. CFITSIO never parses the original header, which may be
/// damaged. Not thread-safe.
class TableMemory {
 public:
  /// Allocates memory for `rows` rows of the table. Throws Error{input} if the header is not that of a table; messages
  /// name `path`.
  TableMemory(const Hdu& table, const std::string& path, std::int64_t rows);
  ~TableMemory();
  TableMemory(const TableMemory&) = delete;
  TableMemory& operator=(const TableMemory&) = delete;

  /// Memory of the rows, which the caller fills before open().
  std::span<std::byte> rows();

  void open();

  fitsfile* get() { return fits_; }

  /// Throws unless `status`, the result of a CFITSIO function, is 0: Error{memory} if CFITSIO got no memory, else
  /// Error{input} with CFITSIO's message.
  void check(int status, const std::string& doing) const;

 private:
  std::string where_;
  std::vector<std::byte> records_;  ///< a primary HDU without data, the table, and zeros to whole FITS records
  std::size_t begin_ = 0, bytes_ = 0;
  void* memory_ = nullptr;  ///< address of records_; CFITSIO keeps pointers to this member and to length_
  std::size_t length_ = 0;
  fitsfile* fits_ = nullptr;
};

}  // namespace srcextract
