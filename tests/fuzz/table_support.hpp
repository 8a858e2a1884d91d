#pragma once

#include <numeric>
#include <variant>
#include <vector>

#include "io/tables/table_formats.hpp"
#include "tests/fuzz/fuzz_support.hpp"

namespace srcextract::testing {

/// Reads all columns of a table, as long as each has the rows that the table has.
inline void read_columns_of(const TableFile& file) {
  std::vector<std::size_t> all(file.columns.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const Table table = read_table(file, all);
  require(table.columns.size() == all.size(), "a column is missing");
  for (const TableColumn& column : table.columns) {
    const auto rows = std::visit([](const auto& values) { return std::ssize(values); }, column.values);
    require(rows == table.rows, "a column has another length than the table");
  }
}

/// The input is a file of this format.
inline int read_table_input(std::string_view input, TableFormat format,
                            std::vector<ColumnHead> (*columns)(const std::string&)) {
  const std::string path = input_file(input, "table");
  read_or_refused({ErrorKind::input}, [&] { read_columns_of({path, 0, format, columns(path)}); });
  return 0;
}

}  // namespace srcextract::testing
