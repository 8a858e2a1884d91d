#pragma once

#include <algorithm>
#include <cstdint>

#include "io/tables/table_file.hpp"

namespace srcextract {

/// Rows between checks of the memory limit in text readers.
inline constexpr std::int64_t rows_between_looks = 1024;

/// Throws Error{memory} if `rows` rows of `bytes_of_row` + file.room.beside_row bytes, plus `other` bytes, exceed
/// file.room.
void require_room(const TableFile& file, std::int64_t rows, std::int64_t bytes_of_row, std::int64_t other = 0);

/// Throws Error{memory} if `more` further rows would exceed the room. Each column reports its bytes with
/// bytes_with(more). The largest column counts twice, since a growing column exists in two copies for a moment.
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
