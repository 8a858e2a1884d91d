#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stages/core/error.hpp"

namespace srcextract {

/// The values of one column: text, integers in the narrower of the two types that holds all of them, or floating-point
/// numbers. A missing number is NaN, so that integers with a missing value are stored as doubles.
using ColumnValues = std::variant<std::vector<std::int32_t>, std::vector<std::int64_t>, std::vector<float>,
                                  std::vector<double>, std::vector<std::string>>;

struct TableColumn {
  std::string name;  ///< as in the file
  std::string unit;  ///< as in the file; empty if the file gives none
  std::string ucd;
  std::string description;
  ColumnValues values;
};

/// A table read from a catalogue, or a table to write.
struct Table {
  std::vector<TableColumn> columns;
  std::int64_t rows = 0;  ///< the length of every column
};

/// The column with this name in a table that this program made. Throws Error{internal} if the column does not exist.
inline const TableColumn& column_named(const Table& table, std::string_view name) {
  const auto found = std::ranges::find(table.columns, name, &TableColumn::name);
  if (found == table.columns.end())
    throw Error(ErrorKind::internal, "no column " + std::string(name) + " in a table; please report this");
  return *found;
}

}  // namespace srcextract
