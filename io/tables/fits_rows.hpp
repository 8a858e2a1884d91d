#pragma once

#include <cstdint>
#include <optional>

#include "io/files/input_file.hpp"
#include "io/tables/table_memory.hpp"

namespace srcextract {

/// Reads the rows of a FITS table, some thousand at a time, through a small in-memory file of these rows, to save
/// memory. The file must outlive this object.
class FitsRows {
 public:
  /// Throws Error{input} if the file is shorter than the table.
  FitsRows(const InputFile& file, const Hdu& table);

  std::int64_t rows() const { return rows_; }
  std::int64_t rows_at_a_time() const;

  /// Reads rows [begin, begin + count), from 0, and returns them as rows 0 to count, valid until the next call.
  TableMemory& read(std::int64_t begin, std::int64_t count);

 private:
  const InputFile& file_;
  Hdu table_;
  std::int64_t rows_ = 0, row_bytes_ = 0;
  std::optional<TableMemory> memory_;
};

}  // namespace srcextract
