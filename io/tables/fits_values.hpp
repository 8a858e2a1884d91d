#pragma once

#include <cstdint>
#include <vector>

#include "io/tables/fits_columns.hpp"
#include "io/tables/table_memory.hpp"
#include "stages/catalogue/table.hpp"

namespace srcextract {

/// Some rows of a FITS table: rows [row, row + count) of `table` are rows [first, first + count) of the table in the
/// file. `table` holds a part of the file's rows.
struct FitsStep {
  TableMemory& table;
  std::int64_t row, count, first;
};

/// An element (index from 0) of a vector column, and the vector that gets the values of this element from all rows.
struct FitsTarget {
  std::int64_t element;
  ColumnValues* values;
};

/// Returns a vector of `rows` values in the type in which the column is read.
ColumnValues make_fits_values(const FitsColumn& column, std::int64_t rows);

/// Reads the rows `step` of the column and stores their values for each of the targets. Throws Error{input} if a field
/// does not match the column's type.
void read_fits_values(const FitsStep& step, const FitsColumn& column, const std::vector<FitsTarget>& targets);

/// Converts the values of one element after all rows have been read. Integers get the narrowest type that holds all of
/// them exactly. Missing integers become NaN, or empty text if the column becomes text.
ColumnValues finish_fits_values(ColumnValues values, const FitsColumn& column);

}  // namespace srcextract
