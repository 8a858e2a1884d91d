#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace srcextract {

/// A HEALPix cell in the nested scheme, and the number of catalogue rows in the cell.
struct SkyCell {
  int order = 0;
  std::int64_t pixel = 0, rows = 0;

  /// The range [begin, end) of the cells of the finest order that this cell contains.
  std::int64_t begin() const;
  std::int64_t end() const;
};

/// Divides the sky into cells with a limited number of rows: a cell with more rows is divided into four, and so on.
class SkyCells {
 public:
  /// Counts a row in cell `finest` of the finest order.
  void add(std::int64_t finest);

  /// Returns the largest cells that have at most `most_rows` rows, in nested order and without empty cells. Cells of
  /// `smallest_order` are not divided, even if they have more rows.
  std::vector<SkyCell> divide(std::int64_t most_rows) const;

  static constexpr int smallest_order = 10;  ///< HEALPix order of the smallest cells, with sides of 3.4 arcminutes

 private:
  std::unordered_map<std::int64_t, std::int64_t> rows_of_;  ///< number of rows in each cell of smallest_order
};

}  // namespace srcextract
