#pragma once

#include <fitsio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/fits/fits_reader.hpp"

namespace srcextract {

/// Rows of a FITS table in memory, opened by CFITSIO as a separate file. CFITSIO sees no byte of the original header.
/// Its header is written anew from checked values and states only the types of the columns. Not thread-safe.
class TableMemory {
 public:
  /// Allocates `rows` rows; `path` is for messages. Throws Error{input} if the header is not one of a table.
  TableMemory(const Hdu& table, const std::string& path, std::int64_t rows);
  ~TableMemory();
  TableMemory(const TableMemory&) = delete;
  TableMemory& operator=(const TableMemory&) = delete;

  /// The memory for the rows.
  std::span<std::byte> rows();

  /// Opens the filled rows in CFITSIO.
  void open();

  fitsfile* get() { return fits_; }

  /// Throws on an error status of CFITSIO: Error{memory} for lack of memory, else Error{input} with CFITSIO's message.
  void check(int status, const std::string& doing) const;

 private:
  std::string where_;
  std::vector<std::byte> records_;  ///< a primary HDU without data, the table, and zeros
  std::size_t begin_ = 0, bytes_ = 0;
  void* memory_ = nullptr;  ///< CFITSIO keeps the addresses of this and of length_
  std::size_t length_ = 0;
  fitsfile* fits_ = nullptr;
};

}  // namespace srcextract
