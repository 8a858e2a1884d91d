#include <algorithm>
#include <string>
#include <vector>

#include "io/files/refuse.hpp"
#include "io/parquet/parquet_file.hpp"
#include "io/parquet/parquet_values.hpp"
#include "io/tables/table_formats.hpp"
#include "io/tables/table_room.hpp"

namespace srcextract {
namespace {

std::int64_t bytes_of_value(ParquetMeaning meaning) {
  switch (meaning) {
    case ParquetMeaning::boolean:
    case ParquetMeaning::int32:
    case ParquetMeaning::float32:
      return 4;
    case ParquetMeaning::text:
      return sizeof(std::string);
    default:
      return 8;
  }
}

/// Returns the bytes of memory for a row of these columns. The result includes temporary memory for the widest of the
/// columns: stored bytes, a page and decoded values.
std::int64_t bytes_of_row(const ParquetFile& parquet, const std::vector<std::size_t>& columns) {
  constexpr std::int64_t levels = 12;
  std::int64_t bytes = 0, largest = 0;
  std::size_t first = 0;
  for (const ParquetLeaf& leaf : parquet.leaves) {
    const std::size_t end = first + static_cast<std::size_t>(leaf.elements);
    const auto wanted = std::ranges::count_if(columns, [&](std::size_t i) { return i >= first && i < end; });
    const std::int64_t value = bytes_of_value(leaf.meaning);
    bytes += wanted * value;
    if (wanted > 0) largest = std::max(largest, leaf.elements * (2 * value + levels));
    first = end;
  }
  return bytes + largest;
}

}  // namespace

std::vector<ColumnHead> parquet_columns(const std::string& path) {
  return heads_of(read_parquet_footer(open_parquet(path)).leaves);
}

Table read_parquet(const TableFile& file, const std::vector<std::size_t>& columns) {
  const InputFile input = open_parquet(file.path);
  const ParquetFile parquet = read_parquet_footer(input);
  if (!std::ranges::equal(heads_of(parquet.leaves), file.columns, {}, &ColumnHead::name, &ColumnHead::name))
    refuse(file.path, "the file was changed after it was opened");
  require_room(file, parquet.rows, bytes_of_row(parquet, columns));
  ParquetBudget budget(input.size(), parquet.rows, file);
  Table table = table_of(file, columns, parquet.rows);
  std::size_t first = 0;
  for (const ParquetLeaf& leaf : parquet.leaves) {
    const std::size_t end = first + static_cast<std::size_t>(leaf.elements);
    const auto is_of_leaf = [&](std::size_t column) { return column >= first && column < end; };
    if (std::ranges::any_of(columns, is_of_leaf)) {
      const std::vector<ColumnValues> values = read_parquet_values(input, parquet, leaf, budget);
      for (std::size_t i = 0; i < columns.size(); ++i)
        if (is_of_leaf(columns[i])) table.columns[i].values = values[columns[i] - first];
    }
    first = end;
  }
  input.require_unchanged();
  return table;
}

}  // namespace srcextract
