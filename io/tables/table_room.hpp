#pragma once

#include <algorithm>
#include <cstdint>

#include "io/tables/table_file.hpp"

namespace srcextract {

/// Number of rows that readers of text tables read between checks of the memory limit.
inline constexpr std::int64_t rows_between_looks = 1024;

/// Throws Error{memory} if the table needs more than file.room.bytes. The table needs bytes_of_row +
/// file.room.beside_row bytes for each of `rows` rows, and `other` bytes besides.
void require_room(const TableFile& file, std::int64_t rows, std::int64_t bytes_of_row, std::int64_t other = 0);

/// Throws Error{memory} if the table with `more` further rows would need more than file.room.bytes. bytes_with(more) of
/// each column returns the bytes of that column. The largest column is counted twice, since both the old and the new
/// copy exist while a vector grows.
template <class Columns>
void require_room_for_more(const TableFile& file, std::int64_t rows, const Columns& columns, std::int64_t more) {
  std::int64_t all = 0, largest = 0;
  for (const auto& column : columns) {
    const std::int64_t bytes = column.bytes_with(more);
    all += bytes;
    largest = std::max(largest, bytes);
  }
  require_room(file, rows, 0, all + largest);
}

}  // namespace srcextract
