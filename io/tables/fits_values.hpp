#pragma once

#include <cstdint>
#include <vector>

#include "io/tables/fits_columns.hpp"
#include "io/tables/table_memory.hpp"
#include "stages/catalogue/table.hpp"

namespace srcextract {

/// A piece of a table in memory: its rows [row, row + count) are rows [first, first + count) of the file's table.
struct FitsStep {
  TableMemory& table;
  std::int64_t row, count, first;
};

/// An element of a column that is to be read, and the destination of its values.
struct FitsTarget {
  std::int64_t element;
  ColumnValues* values;
};

/// Allocates `rows` values of the type in which the column is read.
ColumnValues make_fits_values(const FitsColumn& column, std::int64_t rows);

/// Reads the step's rows of the column. Throws Error{input} if a field does not match the column's type.
void read_fits_values(const FitsStep& step, const FitsColumn& column, const std::vector<FitsTarget>& targets);

/// Converts the values of an element once all rows are read: missing ones become NaN; integers get the narrowest exact
/// type.
ColumnValues finish_fits_values(ColumnValues values, const FitsColumn& column);

}  // namespace srcextract
