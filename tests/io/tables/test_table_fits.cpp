#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "io/tables/table_file.hpp"
#include "tests/io/support/fits_tables.hpp"
#include "tests/io/support/io_test_support.hpp"
#include "tests/io/support/printed_table.hpp"
#include "tests/support/fits_writer.hpp"

namespace srcextract {
namespace {

using testing::big_endian;
using testing::Cards;
using ::testing::ElementsAre;
using testing::fits_table;
using ::testing::HasSubstr;
using testing::primary;
using testing::simple_table;
using testing::stored;
using testing::table_cards;
using testing::TableField;
using testing::TableFits;
using testing::with;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

TEST_F(TableFits, IntegersAreExactAndMissingOnesNan) {
  const std::vector<std::int16_t> shorts{-32768, 0, 32767};
  const std::vector<std::int32_t> ints{std::numeric_limits<std::int32_t>::min(), 0, 2147483647};
  const std::vector<std::int64_t> longs{least, 0, largest}, ids{1, std::int64_t{1} << 60, -99};
  const std::string path =
      file(primary() + fits_table({{"B", "B", {std::string(1, '\0'), "\x01", "\xff"}},
                                   {"SB", "1B", {std::string(1, '\0'), "\x80", "\xff"}, {{"TZERO", "-128"}}},
                                   {"BN", "B", {std::string(1, '\0'), "\x01", "\xff"}, {{"TNULL", "255"}}},
                                   {"I", "I", stored(shorts)},
                                   {"IN", "I", stored(shorts), {{"TNULL", "0"}}},
                                   {"UI", "I", stored(shorts), {{"TZERO", "32768"}}},
                                   {"UIN", "I", stored(shorts), {{"TZERO", "32768"}, {"TNULL", "-32768"}}},
                                   {"J", "J", stored(ints)},
                                   {"UJ", "J", stored(ints), {{"TZERO", "2147483648"}}},
                                   {"K", "K", stored(longs)},
                                   {"KSMALL", "K", stored(std::vector<std::int64_t>{1, -2, 3})},
                                   {"KN", "K", stored(ids), {{"TNULL", "1"}}},
                                   {"KNSMALL", "K", stored(std::vector<std::int64_t>{1, 2, -99}), {{"TNULL", "-99"}}},
                                   {"UK", "K", stored(longs), {{"TZERO", "9223372036854775808"}}},
                                   {"UKSMALL",
                                    "K",
                                    stored(std::vector<std::int64_t>{least, least + 1, -1}),
                                    {{"TZERO", "9223372036854775808"}}},
                                   {"UKN",
                                    "K",
                                    stored(std::vector<std::int64_t>{least, least + 1, -1}),
                                    {{"TZERO", "9223372036854775808"}, {"TNULL", "-1"}}}}));
  const Table table = read_all(path);
  EXPECT_EQ(table.rows, 3);
  expect_values<std::int32_t>(table, "B", {0, 1, 255});
  expect_values<std::int32_t>(table, "SB", {-128, 0, 127});
  expect_values<double>(table, "BN", {0, 1, nan});
  expect_values<std::int32_t>(table, "I", {-32768, 0, 32767});
  expect_values<double>(table, "IN", {-32768, nan, 32767});
  expect_values<std::int32_t>(table, "UI", {0, 32768, 65535});
  expect_values<double>(table, "UIN", {nan, 32768, 65535});
  expect_values<std::int32_t>(table, "J", ints);
  expect_values<std::int64_t>(table, "UJ", {0, 2147483648, 4294967295});
  expect_values<std::int32_t>(table, "KSMALL", {1, -2, 3});
  expect_values<std::string>(table, "KN", {"", "1152921504606846976", "-99"});  // no double holds it
  expect_values<double>(table, "KNSMALL", {1, 2, nan});
  expect_values<std::string>(table, "UK", {"0", "9223372036854775808", "18446744073709551615"});
  expect_values<std::int64_t>(table, "UKSMALL", {0, 1, largest});
  expect_values<double>(table, "UKN", {0, 1, nan});
}

TEST_F(TableFits, TheLeastOf64BitsIsANumber) {
  const std::vector<std::int64_t> longs{least, 0, largest};
  const Table table = read_all(file(primary() + fits_table({{"K", "K", stored(longs)}})));
  expect_values<std::int64_t>(table, "K", longs);
}

TEST_F(TableFits, RealNumbersKeepTheirBits) {
  const std::vector<float> floats{0.1F, std::nanf(""), std::numeric_limits<float>::infinity()};
  const std::vector<double> doubles{0.1, nan, -inf};
  const std::vector<std::int16_t> shorts{1, 2, 3};
  const Table table =
      read_all(file(primary() + fits_table({{"E", "E", stored(floats)},
                                            {"D", "1D", stored(doubles)},
                                            {"HALVES", "I", stored(shorts), {{"TSCAL", "0.5"}, {"TZERO", "3.0"}}},
                                            {"TWICE", "I", stored(shorts), {{"TSCAL", "2"}, {"TNULL", "2"}}},
                                            {"TENTHS", "E", stored(floats), {{"TSCAL", "4.0"}}}})));
  expect_values<float>(table, "E", floats);
  expect_values<double>(table, "D", doubles);
  expect_values<double>(table, "HALVES", {3.5, 4, 4.5});
  expect_values<double>(table, "TWICE", {2, nan, 6});
  expect_values<double>(table, "TENTHS", {4 * static_cast<double>(0.1F), nan, inf});
}

TEST_F(TableFits, LogicalsBitsAndText) {
  const Table table =
      read_all(file(primary() + fits_table({{"L", "L", {"T", "F", "T"}},
                                            {"LN", "L", {"T", std::string(1, '\0'), "x"}},
                                            {"X", "10X", {"\x80\x40", std::string(2, '\0'), "\xff\xc0"}},
                                            {"A", "4A", {"ab  ", std::string("x\0yz", 4), "1234"}},
                                            {"AA", "6A3", {"a  bcd", "      ", " x yz "}}})));
  expect_values<std::int32_t>(table, "L", {1, 0, 1});
  expect_values<double>(table, "LN", {1, nan, nan});
  expect_values<std::int32_t>(table, "X", {1, 0, 1});
  expect_values<std::int32_t>(table, "X_1", {0, 0, 1});
  expect_values<std::int32_t>(table, "X_9", {1, 0, 1});
  expect_values<std::string>(table, "A", {"ab", "x", "1234"});
  expect_values<std::string>(table, "AA", {"a", "", " x"});
  expect_values<std::string>(table, "AA_1", {"bcd", "", "yz"});
  EXPECT_EQ(table.columns.size(), 15u);
}

TEST_F(TableFits, VectorsAreColumnsAndWhatIsNoneIsLeftOut) {
  const std::string two(8, '\0');
  const std::string path =
      file(primary() + fits_table({{"VARIABLE", "PJ(3)", {two, two}},
                                   {"FLUX",
                                    "3E",
                                    {big_endian<float>({1, 2, 3}), big_endian<float>({4, 5, 6})},
                                    {{"TUNIT", "'count'"}, {"TUCD", "'phot.flux'"}, {"TCOMM", "'in apertures'"}}},
                                   {"COMPLEX", "C", {two, two}},
                                   {"LONG", "2000B", {std::string(2000, ' '), std::string(2000, ' ')}},
                                   {"NOTHING", "0J", {"", ""}},
                                   {"", "I", stored(std::vector<std::int16_t>{7, 8})}}));
  const TableFile opened = open_table(path);
  ASSERT_EQ(opened.columns.size(), 4u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(opened.columns[i].unit, "count");
    EXPECT_EQ(opened.columns[i].ucd, "phot.flux");
    EXPECT_EQ(opened.columns[i].description, "in apertures");
  }
  EXPECT_EQ(opened.columns[3].name, "col6");
  const Table some = read_table(opened, {2, 3, 0, 2});
  ASSERT_EQ(some.columns.size(), 4u);
  EXPECT_EQ(some.columns[0].name, "FLUX_2");
  EXPECT_EQ(some.columns[0].description, "in apertures");
  EXPECT_EQ(some.columns[2].name, "FLUX");
  EXPECT_THAT(std::get<std::vector<float>>(some.columns[0].values), ElementsAre(3, 6));
  EXPECT_THAT(std::get<std::vector<std::int32_t>>(some.columns[1].values), ElementsAre(7, 8));
  EXPECT_THAT(std::get<std::vector<float>>(some.columns[2].values), ElementsAre(1, 4));
  EXPECT_THAT(std::get<std::vector<float>>(some.columns[3].values), ElementsAre(3, 6));
}

TEST_F(TableFits, AsciiTables) {
  const std::vector<TableField> fields{
      {"I", "I6", {"     1", "    -2", "    30"}},
      {"F", "F8.3", {"   1.500", " -22.500", "1.00E+01"}},
      {"D", "D12.4", {" 1.2500D+001", "   0.1000D00", "nul         "}, {{"TNULL", "'nul'"}}},
      {"T", "A5", {"a    ", " bb  ", "ccccc"}},
      {"IN", "I4", {"   1", "NULL", "   3"}, {{"TNULL", "'NULL'"}}},
      {"IL", "I12", {"123456789012", "           2", "          -3"}},
      {"S", "I3", {"  1", "  2", "  3"}, {{"TSCAL", "0.5"}}}};
  const Table table = read_all(file(primary() + fits_table(fields, "OLD", "TABLE")));
  expect_values<std::int32_t>(table, "I", {1, -2, 30});
  expect_values<double>(table, "F", {1.5, -22.5, 10});
  expect_values<double>(table, "D", {12.5, 0.1, nan});
  expect_values<std::string>(table, "T", {"a", " bb", "ccccc"});
  expect_values<double>(table, "IN", {1, nan, 3});
  expect_values<std::int64_t>(table, "IL", {123456789012, 2, -3});
  expect_values<double>(table, "S", {0.5, 1, 1.5});
}

TEST_F(TableFits, TheExtensionThatIsAskedFor) {
  const std::string contents = testing::image_hdu(8, {1, 1}, "x") + simple_table("LDAC_IMHEAD", {1}) +
                               simple_table("LDAC_OBJECTS", {1, 2}) + simple_table("ldac_imhead", {1}) +
                               simple_table("LDAC_OBJECTS", {1, 2, 3}) +
                               testing::image_hdu(8, {1, 1}, "x", {{"EXTNAME", "'SCI'"}}, testing::Place::extension);
  const std::string path = file(contents);
  const std::pair<const char*, std::pair<int, std::int64_t>> choices[] = {
      {"", {2, 2}}, {"[LDAC_OBJECTS]", {2, 2}}, {"[ldac_objects]", {2, 2}}, {"[LDAC_IMHEAD]", {1, 1}}, {"[4]", {4, 3}}};
  for (const auto& [suffix, expected] : choices) {
    const TableFile opened = open_table(path + suffix);
    EXPECT_EQ(opened.path, path);
    EXPECT_EQ(opened.format, TableFormat::fits);
    EXPECT_EQ(opened.hdu, expected.first) << suffix;
    EXPECT_EQ(read_table(opened, {0}).rows, expected.second) << suffix;
  }
  EXPECT_THAT(error_of(path + "[0]"), HasSubstr("is not a table but of the kind 'image'"));
  EXPECT_THAT(error_of(path + "[SCI]"), HasSubstr("is not a table"));
  EXPECT_THAT(error_of(path + "[6]"), HasSubstr("no extension [6]; counted from 0, it has 0, 1 'LDAC_IMHEAD', 2 "));
  EXPECT_THAT(error_of(path + "[CAT]"), HasSubstr("no extension [CAT]"));
}

TEST_F(TableFits, AFileOfTheLiteralNameComesFirst) {
  file(primary() + simple_table("A", {1}) + simple_table("B", {1, 2}));
  EXPECT_EQ(read_all(folder_ / "table.fits[2]").rows, 2);
  file(primary() + simple_table("A", {1, 2, 3}), "table.fits[2]");
  EXPECT_EQ(read_all(folder_ / "table.fits[2]").rows, 3);
  file("a,b\n1,2\n", "t.csv");
  EXPECT_THAT(error_of(folder_ / "t.csv[1]"), HasSubstr("is no FITS file, so it has no extensions"));
}

TEST_F(TableFits, GzippedTheSame) {
  const std::string path = file(primary() + simple_table("A", {3, 1, 2}), "name without a hint");
  ASSERT_EQ(testing::run_command("gzip -S .x '" + path + "'").first, 0);
  expect_values<std::int32_t>(read_all(path + ".x[1]"), "N", {3, 1, 2});
}

/// More than is read at a time, and no whole number of times that.
TEST_F(TableFits, ManyRows) {
  constexpr std::int64_t rows = 300'007;
  std::vector<TableField> fields{{"N", "J", {}}, {"V", "3D", {}}, {"T", "7A", {}}};
  std::vector<std::int32_t> numbers;
  std::vector<double> last;
  std::vector<std::string> text;
  for (std::int32_t i = 0; i < rows; ++i) {
    numbers.push_back(i * 7);
    last.push_back(i / 3.0);
    text.push_back(std::to_string(i));
    fields[0].rows.push_back(big_endian<std::int32_t>({numbers.back()}));
    fields[1].rows.push_back(big_endian<double>({0, 1, last.back()}));
    fields[2].rows.push_back(text.back() + std::string(7 - text.back().size(), ' '));
  }
  const std::string path = file(primary() + fits_table(fields));
  const auto check = [&] {
    const Table table = read_all(path);
    EXPECT_EQ(table.rows, rows);
    expect_values(table, "N", numbers);
    expect_values(table, "V_2", last);
    expect_values(table, "T", text);
  };
  std::thread other(check);  // two at once, of one file
  check();
  other.join();
}

TEST_F(TableFits, NoRows) {
  const Cards cards = with(table_cards({{"N", "J", {"four"}}}, "A"), "NAXIS2", "0");
  const Table table = read_all(file(primary() + testing::fits_header(cards)));
  EXPECT_EQ(table.rows, 0);
  ASSERT_EQ(table.columns.size(), 1u);
  EXPECT_TRUE(std::get<std::vector<std::int32_t>>(table.columns[0].values).empty());
}

TEST_F(TableFits, AThousandColumnsAreTooManyForFitsOneLessAreNot) {
  std::vector<TableField> fields;
  for (std::int16_t i = 1; i <= 999; ++i) {
    fields.push_back({"C" + std::to_string(i), "I", stored(std::vector<std::int16_t>{i}), {{"TUNIT", "'mag'"}}});
  }
  const Table table = read_all(file(primary() + fits_table(fields)));
  expect_values<std::int32_t>(table, "C999", {999});
  fields.push_back({"C1000", "I", stored(std::vector<std::int16_t>{0})});
  EXPECT_THAT(error_of(file(primary() + fits_table(fields))), HasSubstr("TFIELDS"));
}

/// Writes a table with Astropy and prints what it holds.
constexpr const char* write_with_astropy = R"(
import sys
import numpy as np
from astropy import units
from astropy.table import MaskedColumn, Table

random = np.random.default_rng(3)
rows = 200
table = Table()
table['NUMBER'] = np.arange(rows, dtype='i4')
table['SHORT'] = random.integers(-2**15, 2**15, rows).astype('i2')
table['UNSIGNED'] = random.integers(0, 2**16, rows).astype('u2')
table['ID'] = random.integers(2**40, 2**62, rows)
table['FLUX'] = (random.normal(size=rows) * 1e4).astype('f4')
table['ALPHA'] = random.uniform(0, 360, rows) * units.deg
table['MAG'] = random.normal(20, 3, (rows, 4)) * units.mag
table['GOOD'] = random.random(rows) > 0.5
table['NAME'] = np.array(['src-%d' % i for i in range(rows)])
table['CLASS'] = MaskedColumn(np.arange(rows, dtype='i2'), mask=np.arange(rows) % 7 == 0, fill_value=-9)
table.write(sys.argv[1], format='fits')

print_table(table)
)";

TEST_F(TableFits, HoldsWhatAstropyWrote) {
  SRCEXTRACT_NEEDS_PEER(testing::have_astropy(), "no astropy");
  const std::string path = folder_ / "astropy.fits";
  const auto [status, expected] =
      testing::run_python(folder_, testing::print_table + std::string(write_with_astropy), path);
  ASSERT_EQ(status, 0) << expected;
  const Table table = read_all(path);
  EXPECT_EQ(table.columns.size(), 13u);
  EXPECT_EQ(testing::print(table), expected);
}

}  // namespace
}  // namespace srcextract
