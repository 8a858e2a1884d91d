#pragma once

#include <algorithm>
#include <cstdint>

#include "io/tables/table.hpp"

namespace srcextract {

/// Readers of text look so often, in rows, whether there is room for more.
inline constexpr std::int64_t rows_between_looks = 1024;

/// Throws Error{memory} if so many rows of so many bytes, and `other` bytes, are more than file.room.
void require_room(const TableFile& file, std::int64_t rows, std::int64_t bytes_of_row, std::int64_t other = 0);

/// The same of rows that come one after the other: `more` will be added to the `columns` before it is asked again. Each
/// tells with bytes_with(more) what it takes then. While one grows its values are there twice.
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
