#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace srcextract {

/// A HEALPix cell, nested scheme, and how many rows are in it.
struct SkyCell {
  int order = 0;
  std::int64_t pixel = 0, rows = 0;

  /// The cells of the finest order that are in it: [begin, end).
  std::int64_t begin() const;
  std::int64_t end() const;
};

/// Divides the sky into cells that few enough rows are in: where there are more, into smaller ones.
class SkyCells {
 public:
  /// A row in this cell of the finest order.
  void add(std::int64_t finest);

  /// The largest cells of at most so many rows, in the nested order; cells without rows are left out. Those of
  /// `smallest_order` are not divided.
  std::vector<SkyCell> divide(std::int64_t most_rows) const;

  static constexpr int smallest_order = 10;  ///< cells of 3.4'

 private:
  std::unordered_map<std::int64_t, std::int64_t> rows_of_;  ///< of cells of that order
};

}  // namespace srcextract
