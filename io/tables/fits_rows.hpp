#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/files/input_file.hpp"
#include "io/fits/fits_reader.hpp"

namespace srcextract {

/// The rows of a FITS table, some thousand at a time, each time as a file in memory that holds these alone: CFITSIO
/// never sees the file, which may change meanwhile, and little memory is needed. The file must outlive this.
class FitsRows {
 public:
  /// `reader` is at `table`. Throws Error{input} if the file is shorter than the table.
  FitsRows(const InputFile& file, FitsReader& reader, const Hdu& table);

  std::int64_t rows() const { return rows_; }
  std::int64_t rows_at_a_time() const;

  /// Reads rows [begin, begin + count), counted from 0, and returns a reader that has them as rows 0 to count, good
  /// until the next call.
  FitsReader& read(std::int64_t begin, std::int64_t count);

 private:
  std::string header(std::int64_t rows) const;

  const InputFile& file_;
  Hdu table_;
  std::string cards_;  ///< of the table, copied while the file is as it was
  std::int64_t rows_ = 0, row_bytes_ = 0;
  std::vector<std::byte> records_;  ///< a primary HDU without data, the table, and zeros
  std::optional<FitsReader> reader_;
};

}  // namespace srcextract
