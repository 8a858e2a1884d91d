#pragma once

#include <cstdint>
#include <vector>

#include "io/tables/fits_columns.hpp"
#include "io/tables/table_memory.hpp"
#include "stages/catalogue/table.hpp"

namespace srcextract {

/// Rows [row, row + count) of what `table` has, which are those from `first` on of the table.
struct FitsStep {
  TableMemory& table;
  std::int64_t row, count, first;
};

/// An element of a column that is wanted, and where its values go.
struct FitsTarget {
  std::int64_t element;
  ColumnValues* values;
};

/// Room for so many values of the column, of the type that it is read as.
ColumnValues make_fits_values(const FitsColumn& column, std::int64_t rows);

/// Reads these rows of the column. Throws Error{input} if a field is not what its column says.
void read_fits_values(const FitsStep& step, const FitsColumn& column, const std::vector<FitsTarget>& targets);

/// All values of an element, once they are read: missing ones as NaN, in the narrowest type that holds them exactly.
ColumnValues finish_fits_values(ColumnValues values, const FitsColumn& column);

}  // namespace srcextract
