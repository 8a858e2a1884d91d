#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "io/tables/table_file.hpp"
#include "stages/core/error.hpp"
#include "tests/io/support/io_test_support.hpp"
#include "tests/support/fits_writer.hpp"

namespace srcextract::testing {

/// A column of a FITS table, with the bytes of each row.
struct TableField {
  std::string name, form;
  std::vector<std::string> rows;
  Cards extra = {};  ///< without the number of the column
};

template <class T>
inline std::vector<std::string> stored(const std::vector<T>& values) {
  std::vector<std::string> rows;
  for (T value : values) rows.push_back(big_endian<T>({value}));
  return rows;
}

/// The cards of a table, which a test may falsify.
inline Cards table_cards(const std::vector<TableField>& fields, const std::string& name,
                         const std::string& kind = "BINTABLE") {
  std::size_t width = 0;
  Cards columns;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string n = std::to_string(i + 1);
    if (!fields[i].name.empty()) columns.push_back({"TTYPE" + n, "'" + fields[i].name + "'"});
    columns.push_back({"TFORM" + n, "'" + fields[i].form + "'"});
    if (kind == "TABLE") columns.push_back({"TBCOL" + n, std::to_string(width + 1)});
    for (const auto& [keyword, value] : fields[i].extra) columns.push_back({keyword + n, value});
    width += fields[i].rows.empty() ? 0 : fields[i].rows[0].size();
  }
  const std::size_t rows = fields.empty() ? 0 : fields[0].rows.size();
  Cards cards{
      {"XTENSION", "'" + kind + "'"},   {"BITPIX", "8"}, {"NAXIS", "2"},  {"NAXIS1", std::to_string(width)},
      {"NAXIS2", std::to_string(rows)}, {"PCOUNT", "0"}, {"GCOUNT", "1"}, {"TFIELDS", std::to_string(fields.size())}};
  cards.insert(cards.end(), columns.begin(), columns.end());
  if (!name.empty()) cards.push_back({"EXTNAME", "'" + name + "'"});
  return cards;
}

/// A card with another value.
inline Cards with(Cards cards, const std::string& keyword, const std::string& value) {
  std::ranges::find(cards, keyword, &std::pair<std::string, std::string>::first)->second = value;
  return cards;
}

inline std::string table_data(const std::vector<TableField>& fields) {
  std::string bytes;
  for (std::size_t row = 0; row < fields.at(0).rows.size(); ++row) {
    for (const TableField& field : fields) bytes += field.rows[row];
  }
  return fits_data(bytes);
}

inline std::string fits_table(const std::vector<TableField>& fields, const std::string& name = "",
                              const std::string& kind = "BINTABLE") {
  return fits_header(table_cards(fields, name, kind)) + table_data(fields);
}

inline std::string primary() {
  return image_hdu(8, {}, "");
}

/// A table of one column, of these integers.
inline std::string simple_table(const std::string& name, const std::vector<std::int32_t>& values) {
  return fits_table({{"N", "J", stored(values)}}, name);
}

/// Tables in files.
class TableFits : public ::testing::Test {
 protected:
  std::string file(const std::string& contents, const std::string& name = "table.fits") const {
    write_file(folder_ / name, contents);
    return folder_ / name;
  }

  static Table read_all(const std::string& path) {
    const TableFile file = open_table(path);
    std::vector<std::size_t> all(file.columns.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return read_table(file, all);
  }

  static std::string error_of(const std::string& path) {
    try {
      read_all(path);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
      EXPECT_THAT(error.what(), ::testing::HasSubstr(path.substr(0, path.find('['))));
      return error.what();
    }
    return "no error";
  }

  template <class T>
  static bool same(const T& a, const T& b) {
    if constexpr (std::is_floating_point_v<T>) return a == b || (std::isnan(a) && std::isnan(b));
    return a == b;
  }

  /// True if the column has these values, of this type.
  template <class T>
  static void expect_values(const Table& table, const std::string& name, const std::vector<T>& expected) {
    const auto column = std::ranges::find(table.columns, name, &TableColumn::name);
    ASSERT_NE(column, table.columns.end()) << name;
    const auto* values = std::get_if<std::vector<T>>(&column->values);
    ASSERT_NE(values, nullptr) << name << " is of type " << column->values.index();
    EXPECT_TRUE(std::ranges::equal(*values, expected, same<T>)) << name << ": " << ::testing::PrintToString(*values);
  }

  TemporaryFolder folder_;
};

}  // namespace srcextract::testing
