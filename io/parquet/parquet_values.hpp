#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/files/input_file.hpp"
#include "io/parquet/parquet_file.hpp"
#include "io/parquet/parquet_pages.hpp"
#include "stages/catalogue/table.hpp"

namespace srcextract {

/// The values of a column in all row groups: for each element of its vectors, the values of all rows. Throws
/// Error{input} with file, column and row group.
std::vector<ColumnValues> read_parquet_values(const InputFile& file, const ParquetFile& parquet,
                                              const ParquetLeaf& leaf, ParquetBudget& budget);

}  // namespace srcextract
