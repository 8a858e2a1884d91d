#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/files/input_file.hpp"
#include "io/fits/image_cards.hpp"

namespace srcextract {

/// A column of a FITS binary table, as its header has it.
struct StoredColumn {
  std::string name, form, unit, ucd, description;  ///< TTYPE, TFORM, TUNIT, TUCD, TCOMM
  std::optional<std::int64_t> null;                ///< TNULL, of the writer alone
  std::int64_t bytes = 0;                          ///< of a row
  std::string dim = {};                            ///< TDIM, of pictures

  bool operator==(const StoredColumn&) const = default;
};

/// A FITS table of which rows are wanted as they are stored.
struct StoredTable {
  std::vector<StoredColumn> columns;
  std::vector<std::string> history;  ///< lines of HISTORY
  ImageFacts image;                  ///< what the header says of the image
  std::int64_t rows = 0;
  std::int64_t row_bytes = 0;
  std::int64_t data_begin = 0;  ///< where the rows begin in the file
};

/// Reads the headers of catalogues as io/catalog/catalog writes them. Those that follow one another are mostly alike
/// but for the number of rows and what is said of the image: of such a one no more is parsed, which is a hundred times
/// as fast.
class StoredTableReader {
 public:
  /// The table in the first extension; good until the next call. Throws Error{input} if there is none, its header is
  /// damaged, the file is shorter than it says, or a column is of a kind that no catalogue has.
  const StoredTable& read(const InputFile& file);

 private:
  bool read_alike(const InputFile& file);
  void parse(const InputFile& file);

  std::string header_;       ///< of the last file, up to what is said of the image
  std::size_t rows_at_ = 0;  ///< where NAXIS2 has its value in there
  StoredTable table_;
};

}  // namespace srcextract
