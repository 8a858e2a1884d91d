#include "io/tables/table_room.hpp"

#include <string>

#include "stages/core/error.hpp"

namespace srcextract {

void require_room(const TableFile& file, std::int64_t rows, std::int64_t bytes_of_row, std::int64_t other) {
  // Computes in doubles, since the product could overflow integers: a damaged header may state any number of rows.
  const double of_row = static_cast<double>(bytes_of_row + file.room.beside_row);
  const double needed = static_cast<double>(rows) * of_row + static_cast<double>(other);
  if (needed <= static_cast<double>(file.room.bytes)) return;
  const auto megabytes = [](double bytes) { return std::to_string(static_cast<std::int64_t>(bytes / 1e6)); };
  throw Error(ErrorKind::memory, file.path + ": " + std::to_string(rows) + " rows of this table, or more, need about " +
                                     megabytes(needed + 1e6) + " MB of memory, and it can have " +
                                     megabytes(static_cast<double>(file.room.bytes)) +
                                     " MB; name a table of fewer rows or columns, or allow more (--memory)");
}

}  // namespace srcextract
