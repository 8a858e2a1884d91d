#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/files/input_file.hpp"
#include "io/fits/image_cards.hpp"
#include "io/fits/table_head.hpp"

namespace srcextract {

/// A FITS table of a catalogue that srcextract wrote, whose rows are copied without decoding.
struct StoredTable {
  std::vector<StoredColumn> columns;
  std::vector<std::string> history;  ///< texts of the HISTORY cards
  ImageFacts image;                  ///< facts about the image, from the header
  std::int64_t rows = 0;
  std::int64_t row_bytes = 0;
  std::int64_t data_begin = 0;  ///< offset of the rows in the file, in bytes
};

/// Reads headers of catalogues that io/catalog/catalog wrote. Most catalogues of a survey have headers that differ only
/// in the number of rows and in the image cards (io/fits/image_cards.hpp). For such a header only these two are parsed,
/// which is a hundred times as fast (measured).
class StoredTableReader {
 public:
  /// Returns the table in the first extension; the reference is valid until the next call. Throws Error{input} if:
  /// - there is no such table or its header is damaged,
  /// - the file is shorter than its header says,
  /// - a column has a type that catalogues never have.
  const StoredTable& read(const InputFile& file);

 private:
  bool read_alike(const InputFile& file);
  void parse(const InputFile& file);

  std::string header_;       ///< text of the last parsed file up to the image cards
  std::size_t rows_at_ = 0;  ///< offset of the value of NAXIS2 in header_
  StoredTable table_;
};

}  // namespace srcextract
