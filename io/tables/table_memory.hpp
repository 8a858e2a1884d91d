#pragma once

#include <fitsio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/fits/fits_reader.hpp"

namespace srcextract {

/// Rows of a FITS table in memory, opened by CFITSIO as a file of their own. CFITSIO sees no byte of the file's header:
/// the one that it gets is written anew, from values that were read and checked, and says no more than what types the
/// columns have. Not for several threads at once.
class TableMemory {
 public:
  /// Room for so many rows of the table; `path` is for messages. Throws Error{input} if the header is not that of a
  /// table.
  TableMemory(const Hdu& table, const std::string& path, std::int64_t rows);
  ~TableMemory();
  TableMemory(const TableMemory&) = delete;
  TableMemory& operator=(const TableMemory&) = delete;

  /// Where the rows go.
  std::span<std::byte> rows();

  /// Hands them to CFITSIO.
  void open();

  fitsfile* get() { return fits_; }

  /// Throws Error{input}, with what CFITSIO says, if the status of a CFITSIO call is an error; Error{memory} if that
  /// is a lack of memory.
  void check(int status, const std::string& doing) const;

 private:
  std::string where_;
  std::vector<std::byte> records_;  ///< a primary HDU without data, the table, and zeros
  std::size_t begin_ = 0, bytes_ = 0;
  void* memory_ = nullptr;  ///< CFITSIO keeps the addresses of these two
  std::size_t length_ = 0;
  fitsfile* fits_ = nullptr;
};

}  // namespace srcextract
