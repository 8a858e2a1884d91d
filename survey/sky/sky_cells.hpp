#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace srcextract {

/// A HEALPix cell, nested scheme, and its number of rows.
struct SkyCell {
  int order = 0;
  std::int64_t pixel = 0, rows = 0;

  /// The range [begin, end) of the cells of the finest order that this cell contains.
  std::int64_t begin() const;
  std::int64_t end() const;
};

/// Divides the sky into cells, each with few rows: a cell with more rows is divided again.
class SkyCells {
 public:
  /// Counts a row that lies in cell `finest` of the finest order.
  void add(std::int64_t finest);

  /// Returns the largest cells that have at most `most_rows` rows, in nested order, without empty cells. Cells of
  /// `smallest_order` are not divided further.
  std::vector<SkyCell> divide(std::int64_t most_rows) const;

  static constexpr int smallest_order = 10;  ///< cells of 3.4'

 private:
  std::unordered_map<std::int64_t, std::int64_t> rows_of_;  ///< by cell of smallest_order
};

}  // namespace srcextract
