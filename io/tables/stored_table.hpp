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

/// A FITS table whose rows are copied as they are stored.
struct StoredTable {
  std::vector<StoredColumn> columns;
  std::vector<std::string> history;  ///< lines of HISTORY
  ImageFacts image;                  ///< facts about the image in the header
  std::int64_t rows = 0;
  std::int64_t row_bytes = 0;
  std::int64_t data_begin = 0;  ///< offset of the rows in the file
};

/// Reads headers of catalogues that io/catalog/catalog wrote. Successive headers mostly differ only in the number of
/// rows and the image cards. Then only these two are parsed, which is a hundred times as fast.
class StoredTableReader {
 public:
  /// The table in the first extension, valid until the next call. Throws Error{input} if:
  /// - there is no such table or its header is damaged,
  /// - the file is shorter than its header says,
  /// - a column has a type that no catalogue has.
  const StoredTable& read(const InputFile& file);

 private:
  bool read_alike(const InputFile& file);
  void parse(const InputFile& file);

  std::string header_;       ///< header of the last file up to its image cards
  std::size_t rows_at_ = 0;  ///< offset of NAXIS2's value in header_
  StoredTable table_;
};

}  // namespace srcextract
