#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace srcextract {

/// The values of one column: numbers in the narrowest of these types that holds every one of them exactly, or text. A
/// number that is missing is NaN, so that a column of integers with something missing is one of doubles.
using ColumnValues = std::variant<std::vector<std::int32_t>, std::vector<std::int64_t>, std::vector<float>,
                                  std::vector<double>, std::vector<std::string>>;

struct TableColumn {
  std::string name;  ///< as the file has it
  std::string unit;  ///< as the file has it; empty if it says nothing
  std::string ucd;
  std::string description;
  ColumnValues values;
};

/// A table as it was read from somebody's catalogue, or as it is going to be written.
struct Table {
  std::vector<TableColumn> columns;
  std::int64_t rows = 0;  ///< the length of every column
};

}  // namespace srcextract
