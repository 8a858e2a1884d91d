#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "io/tables/table_file.hpp"
#include "stages/core/error.hpp"
#include "tests/io/support/fits_tables.hpp"
#include "tests/support/fits_writer.hpp"

namespace srcextract {
namespace {

using testing::Cards;
using testing::fits_table;
using ::testing::HasSubstr;
using testing::primary;
using testing::simple_table;
using testing::stored;
using testing::table_cards;
using testing::TableField;
using testing::TableFits;
using testing::with;

TEST_F(TableFits, WrongHeadersAreRefused) {
  const std::vector<TableField> fields{{"A", "J", stored(std::vector<std::int32_t>{1, 2})},
                                       {"B", "D", stored(std::vector<double>{1, 2})}};
  const Cards cards = table_cards(fields, "");
  const std::tuple<const char*, const char*, const char*> wrong[] = {
      {"NAXIS1", "11", "12"},
      {"NAXIS1", "0", ""},
      {"NAXIS1", "4611686018427387904", "no file can have"},
      {"NAXIS2", "-1", "NAXIS2"},
      {"NAXIS2", "", "NAXIS2"},
      {"NAXIS2", "1000000000", "is truncated: its 1000000000 rows of 12 bytes"},
      {"NAXIS2", "4611686018427387904", "no file can have"},
      {"PCOUNT", "99999999", "is truncated"},
      {"PCOUNT", "-5", "PCOUNT"},
      {"TFIELDS", "3", "TFORM3"},
      {"TFIELDS", "1000000000", "TFIELDS"},
      {"TFIELDS", "-1", "TFIELDS"},
      {"TFIELDS", "0", "NAXIS1"},
      {"TFORM1", "'99999999999999999J'", ""},
      {"TFORM1", "'9223372036854775807J'", ""},
      {"TFORM1", "'-3J'", ""},
      {"TFORM1", "'Z'", ""},
      {"TTYPE2", "'A'", "two columns are named 'A'"},
  };
  for (const auto& [keyword, value, message] : wrong) {
    const std::string path = file(primary() + testing::fits_header(with(cards, keyword, value)) + table_data(fields));
    const std::string said = error_of(path);
    EXPECT_THAT(said, HasSubstr(message)) << keyword << " = " << value;
    EXPECT_NE(said, "no error") << keyword << " = " << value;
  }
}

TEST_F(TableFits, WhatHoldsNoTableIsRefused) {
  EXPECT_THAT(error_of(file(testing::image_hdu(8, {1, 1}, "x"))), HasSubstr("no table in the file; it holds 1 image"));
  EXPECT_THAT(error_of(file("")), HasSubstr("the file is empty"));
  EXPECT_THAT(error_of(file(" \n")), HasSubstr("the file is empty"));
  EXPECT_THAT(error_of(file(std::string("\x89HDF\r\n\x1a\n\0\0\0\0", 12))), HasSubstr("none of the formats"));
  EXPECT_THAT(error_of(folder_ / "absent.fits"), HasSubstr("cannot open"));
  EXPECT_THAT(error_of(folder_ / "absent.fits[1]"), HasSubstr("cannot open"));
  const Cards nothing = with(with(table_cards({{"N", "J", {"four"}}}, "A"), "NAXIS1", "0"), "TFIELDS", "0");
  EXPECT_THAT(error_of(file(primary() + testing::fits_header(nothing))), HasSubstr("no column of numbers or text"));
  const std::string zero(8, '\0');
  EXPECT_THAT(error_of(file(primary() + fits_table({{"P", "PJ", {zero}}}))), HasSubstr("no column of numbers or text"));
}

TEST_F(TableFits, AnUnreadableFieldIsNamedWithItsRows) {
  const std::vector<TableField> fields{{"MAG", "F5.2", {"12.50", "12x50"}}};
  EXPECT_THAT(error_of(file(primary() + fits_table(fields, "", "TABLE"))),
              HasSubstr("column MAG of rows 1 to 2: the file is damaged"));
}

TEST_F(TableFits, CutAnywhereItIsRefusedOrWhole) {
  const std::string whole = primary() + simple_table("A", {1, 2, 3});
  const std::size_t end = whole.size() - 2880 + 12;  // of the last row
  for (std::size_t size = 0; size < whole.size(); size += size < end - 20 ? 37 : 1) {
    const std::string path = file(whole.substr(0, size), std::to_string(size));
    if (size < end) {
      EXPECT_NE(error_of(path), "no error") << size;
    } else {
      expect_values<std::int32_t>(read_all(path), "N", {1, 2, 3});
    }
    std::remove(path.c_str());
  }
}

TEST_F(TableFits, DamagedFilesAreReadOrRefused) {
  const std::vector<TableField> fields{{"L", "L", {"T", "F"}},
                                       {"X", "11X", {"ab", "cd"}},
                                       {"I", "2I", {"abcd", "efgh"}, {{"TZERO", "32768"}, {"TNULL", "5"}}},
                                       {"K", "K", {"abcdefgh", "ijklmnop"}, {{"TSCAL", "1"}}},
                                       {"A", "8A4", {"abcdefgh", "ijklmnop"}},
                                       {"E", "E", {"abcd", "efgh"}, {{"TUNIT", "'mag'"}}}};
  const std::string good = primary() + fits_table(fields, "T");
  std::mt19937 random(1);
  int refused = 0, read = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string bytes = good;
    const std::size_t at = 2880 + random() % (bytes.size() - 2 * 2880);
    const std::size_t digit = std::min(bytes.find_first_of("0123456789", at), bytes.size() - 1);
    bytes[at] = static_cast<char>(random() % 3 ? ' ' + random() % 95 : random() % 256);
    if (random() % 2) bytes[digit] = static_cast<char>('0' + random() % 10);
    const std::string path = file(bytes, std::to_string(i));
    try {
      const Table table = read_all(path);
      for (const TableColumn& column : table.columns) {
        std::visit([&](const auto& values) { EXPECT_EQ(std::ssize(values), table.rows); }, column.values);
      }
      ++read;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
      ++refused;
    }
    std::remove(path.c_str());
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(read, 100);
}

}  // namespace
}  // namespace srcextract
