#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/files/input_file.hpp"
#include "io/parquet/parquet_file.hpp"
#include "io/parquet/parquet_pages.hpp"
#include "stages/catalogue/table.hpp"

namespace srcextract {

/// Reads the values of a column in all row groups. Returns the values of all rows for each element of the column's
/// vectors. Throws Error{input} that names file, column and row group.
std::vector<ColumnValues> read_parquet_values(const InputFile& file, const ParquetFile& parquet,
                                              const ParquetLeaf& leaf, ParquetBudget& budget);

}  // namespace srcextract
