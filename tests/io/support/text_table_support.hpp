#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "io/tables/table_formats.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract::testing {

/// A reader of tables in text.
struct TextFormat {
  const char* name;
  TableFormat format;
  std::vector<ColumnHead> (*columns)(const std::string& path);
  Table (*read)(const TableFile& file, const std::vector<std::size_t>& columns);

  TableFile open(const std::string& path) const { return {path, 0, format, columns(path)}; }
};
inline const TextFormat csv = {"csv", TableFormat::csv, csv_columns, read_csv};
inline const TextFormat ecsv = {"ecsv", TableFormat::ecsv, ecsv_columns, read_ecsv};
inline const TextFormat ascii_head = {"ascii_head", TableFormat::ascii_head, ascii_head_columns, read_ascii_head};

/// The whole table.
inline Table read_all(const TextFormat& format, const std::string& path) {
  const TableFile file = format.open(path);
  std::vector<std::size_t> all(file.columns.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return format.read(file, all);
}

inline Table read_text(const TextFormat& format, const std::string& text) {
  TemporaryFolder directory;
  return read_all(format, directory.write("table", text));
}

/// A value with all its bits: integers as they are, floating numbers as those of a double, text in quotes.
template <class T>
std::string exact(const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return "'" + value + "'";
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else {
    if (std::isnan(value)) return "nan";
    char digits[17];
    std::snprintf(digits, sizeof(digits), "%016llx",
                  static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(static_cast<double>(value))));
    return digits;
  }
}

/// The values of a column, with the name of their type.
inline std::string dump(const ColumnValues& values) {
  static constexpr const char* types[] = {"int32", "int64", "float32", "float64", "text"};
  std::string out = types[values.index()];
  std::visit(
      [&](const auto& column) {
        for (const auto& value : column) out += " " + exact(value);
      },
      values);
  return out;
}

/// A line for every column.
inline std::string dump(const Table& table) {
  std::string out;
  for (const TableColumn& column : table.columns) {
    out += column.name + "|" + column.unit + "|" + column.ucd + "|" + column.description + "|" + dump(column.values) +
           "\n";
  }
  return out + std::to_string(table.rows) + " rows\n";
}

}  // namespace srcextract::testing
