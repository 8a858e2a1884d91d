#pragma once

#include <cstdint>
#include <optional>

#include "io/files/input_file.hpp"
#include "io/tables/table_memory.hpp"

namespace srcextract {

/// The rows of a FITS table, some thousand at a time, each time as a file in memory that holds these alone: little
/// memory is needed. The file must outlive this.
class FitsRows {
 public:
  /// Throws Error{input} if the file is shorter than the table.
  FitsRows(const InputFile& file, const Hdu& table);

  std::int64_t rows() const { return rows_; }
  std::int64_t rows_at_a_time() const;

  /// Reads rows [begin, begin + count), counted from 0, and returns them as rows 0 to count, good until the next call.
  TableMemory& read(std::int64_t begin, std::int64_t count);

 private:
  const InputFile& file_;
  Hdu table_;
  std::int64_t rows_ = 0, row_bytes_ = 0;
  std::optional<TableMemory> memory_;
};

}  // namespace srcextract
