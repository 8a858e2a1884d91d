#include "io/catalog/table_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <variant>
#include <vector>

#include "io/tables/table_file.hpp"
#include "stages/core/error.hpp"
#include "tests/io/support/io_test_support.hpp"
#include "tests/io/support/printed_table.hpp"

namespace srcextract {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

const CatalogMetadata match_metadata = {"1.2.3", "match:\n  radius: 1.5\n"};

Table some_table() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  Table table;
  table.rows = 3;
  table.columns = {
      {"NUMBER", "", "meta.id", "Running number", std::vector<std::int32_t>{1, -2, 2147483647}},
      {"ID", "", "", "", std::vector<std::int64_t>{1, -5, (std::int64_t{1} << 62) + 1}},
      {"MAG AUTO", "mag", "", "with a blank, it's", std::vector<float>{0.5F, -1.25F, std::nanf("")}},
      {"ALPHA,J2000", "deg", "pos.eq.ra", "", std::vector<double>{0.1, nan, -inf}},
      {"no", "mag / arcsec2", "", "two\nlines", std::vector<double>{-0.0, 1e-300, 1e300}},
      {"say \"x\"", "", "", "", std::vector<std::string>{"plain", "with \"quotes\", and comma", "#7"}},
      {"EMPTY", "", "", "", std::vector<std::string>{"", "x", ""}},
  };
  return table;
}

std::string write(const std::string& path, const Table& table) {
  write_table(path, table, match_metadata, Cpu{2}).commit();
  return path;
}

class TableWriter : public ::testing::TestWithParam<const char*> {
 protected:
  std::string path() const { return folder_ / (std::string("matched") + GetParam()); }

  /// What Astropy reads.
  std::string read_by_astropy(const std::string& file) const {
    // A name of a VOTable that is no identifier is read as it is only where that is asked for.
    const std::string names = file.ends_with(".vot") || file.ends_with(".xml") ? ", use_names_over_ids=True" : "";
    const std::string script =
        "import sys\nfrom astropy.table import Table\nprint_table(Table.read(sys.argv[1]" + names + "))\n";
    const auto [status, output] = testing::run_python(folder_, testing::print_table + script, file);
    EXPECT_EQ(status, 0) << output;
    return output;
  }

  TemporaryFolder folder_;
};
INSTANTIATE_TEST_SUITE_P(Formats, TableWriter, ::testing::Values(".fits", ".ecsv", ".csv", ".vot", ".xml"),
                         [](const auto& test) { return std::string(test.param + 1); });

TEST_P(TableWriter, AstropyReadsItBack) {
  SRCEXTRACT_NEEDS_PEER(testing::have_astropy(), "no astropy");
  Table table = some_table();
  write(path(), table);
  if (GetParam() == std::string(".csv")) {  // which has no units
    for (TableColumn& column : table.columns) column.unit = "";
  }
  EXPECT_EQ(read_by_astropy(path()), testing::print(table));
}

TEST_P(TableWriter, NoRows) {
  SRCEXTRACT_NEEDS_PEER(testing::have_astropy(), "no astropy");
  Table table;
  table.columns = {{"X", "", "", "", std::vector<double>{}}, {"NAME", "", "", "", std::vector<std::string>{}}};
  EXPECT_EQ(read_by_astropy(write(path(), table)), testing::print(table));
}

TEST_P(TableWriter, NothingIsThereUntilItIsCommitted) {
  { const OutputFile file = write_table(path(), some_table(), match_metadata); }
  EXPECT_FALSE(std::filesystem::exists(path()));
}

class TableWriterFits : public TableWriter {};
INSTANTIATE_TEST_SUITE_P(Formats, TableWriterFits, ::testing::Values(".fits"));

/// More than are assembled at a time, and no whole number of times that.
TEST_P(TableWriterFits, ManyRowsReadBack) {
  constexpr std::int32_t rows = 300'007;
  std::vector<std::int32_t> numbers(rows);
  std::iota(numbers.begin(), numbers.end(), 5);
  std::vector<std::string> names;
  for (std::int32_t number : numbers) names.push_back("n" + std::to_string(number));
  Table table;
  table.rows = rows;
  table.columns = {{"N", "", "", "", numbers}, {"NAME", "", "", "", names}};
  const Table read = read_table(open_table(write(path(), table)), {0, 1});
  EXPECT_EQ(read.rows, rows);
  EXPECT_TRUE(std::get<std::vector<std::int32_t>>(read.columns[0].values) == numbers);
  EXPECT_TRUE(std::get<std::vector<std::string>>(read.columns[1].values) == names);
}

TEST_P(TableWriterFits, FitsverifyHasNothingToSay) {
  SRCEXTRACT_NEEDS_PEER(testing::have_fitsverify(), "no fitsverify");
  Table table = some_table();
  table.columns.resize(2);
  table.columns[0].name = std::string(100, 'n');
  table.columns[1].description = std::string(300, 'd');
  const auto [status, output] = testing::run_command("fitsverify '" + write(path(), table) + "'");
  EXPECT_THAT(output, HasSubstr("0 warning(s) and 0 error(s)"));
  EXPECT_EQ(open_table(path()).columns[1].description, std::string(300, 'd'));
}

TEST_P(TableWriterFits, WhatIsNotAsciiBecomesAQuestionMark) {
  Table table;
  table.rows = 2;
  table.columns = {{"\xce\x94m", "\xc2\xb5Jy", "", "two\nlines", std::vector<std::string>{"\xc3\xa4 b  ", ""}}};
  const Table read = read_table(open_table(write(path(), table)), {0});
  EXPECT_EQ(read.columns[0].name, "??m");
  EXPECT_EQ(read.columns[0].unit, "??Jy");
  EXPECT_EQ(read.columns[0].description, "two?lines");
  EXPECT_EQ(std::get<std::vector<std::string>>(read.columns[0].values), (std::vector<std::string>{"?? b", ""}));
}

TEST_P(TableWriterFits, AThousandColumnsAreTooMany) {
  Table table;
  table.rows = 1;
  for (int i = 1; i <= 999; ++i) {
    table.columns.push_back({"C" + std::to_string(i), "mag", "", "", std::vector<std::int32_t>{i}});
  }
  EXPECT_EQ(open_table(write(path(), table)).columns.size(), 999u);
  table.columns.push_back(table.columns[0]);
  try {
    write(path(), table);
    ADD_FAILURE() << "written";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::output);
    EXPECT_THAT(error.what(), HasSubstr("can have 999 columns, but this one has 1000"));
  }
}

/// The bytes of a character in UTF-8; of half a pair of UTF-16 too, which is no UTF-8.
std::string utf8_bytes(unsigned c) {
  const auto byte = [](unsigned bits) { return std::string(1, static_cast<char>(bits)); };
  if (c < 0x80) return byte(c);
  if (c < 0x800) return byte(0xc0 | c >> 6) + byte(0x80 | (c & 0x3f));
  return byte(0xe0 | c >> 12) + byte(0x80 | (c >> 6 & 0x3f)) + byte(0x80 | (c & 0x3f));
}

TEST(TableWriterTest, AstropyReadsEcsvWithAnyCharacter) {
  SRCEXTRACT_NEEDS_PEER(testing::have_astropy(), "no astropy");
  constexpr unsigned in_a_column = 256, all = 0x10000;
  Table table;
  table.rows = 2;
  for (unsigned begin = 0; begin < all; begin += in_a_column) {
    std::string text;
    for (unsigned c = std::max(begin, 1U); c < begin + in_a_column; ++c) text += "a" + utf8_bytes(c);
    const std::string name = "n" + std::to_string(begin) + text;
    table.columns.push_back({name, "u" + text, "c" + text, "d" + text,
                             std::vector<std::string>{"t" + text + std::string(begin == 0 ? 1 : 0, '\0'), "end"}});
  }
  const TemporaryFolder folder;
  const std::string path = write(folder / "any.ecsv", table);
  // Characters that neither YAML nor str.splitlines() takes for another thing come back as they were.
  const auto [status, output] = testing::run_python(folder, R"(
import sys, warnings
from astropy.table import Table
warnings.simplefilter("ignore")
table = Table.read(sys.argv[1])
assert len(table) == 2 and len(table.columns) == 256, len(table)
plain = [chr(c) for c in range(0x20, 0xfffe) if c < 0x7f or 0xa0 <= c < 0x2028 or 0x2029 < c < 0xd800 or c >= 0xe000]
for said in ("".join(table.colnames), "".join(str(table[name].unit) for name in table.colnames),
             "".join(table[name].description for name in table.colnames), "".join(map(str, table[0]))):
    missing = [hex(ord(c)) for c in plain if c not in said]
    assert not missing, missing[:10]
assert all(end == "end" for end in table[1])
)",
                                                    path);
  EXPECT_EQ(status, 0) << output;
  EXPECT_EQ(open_table(path).columns.size(), table.columns.size());
}

TEST(TableWriterTest, NoFieldOfCsvIsAFormulaToASpreadsheet) {
  Table table;
  const std::vector<std::string> formulas = {"=1+1", "=HYPERLINK(\"x\")", "@SUM(A1)", "+cmd|' /C calc'!A0", "-2+A1",
                                             "\t=1"},
                                 others = {"a=b", "-12.5", "+12:30:45.6", "-05 30 00", "m31", "'=", ""};
  std::vector<std::string> all = formulas;
  all.insert(all.end(), others.begin(), others.end());
  table.rows = std::ssize(all);
  table.columns = {{"=NAME", "", "", "", all}, {"NUMBER", "", "", "", std::vector<double>(all.size(), -1.5)}};
  const TemporaryFolder folder;
  const TableFile file = open_table(write(folder / "a.csv", table));
  EXPECT_EQ(file.columns[0].name, "'=NAME");
  const Table read = read_table(file, {0, 1});
  const auto& got = std::get<std::vector<std::string>>(read.columns[0].values);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(got[i], i < formulas.size() ? "'" + all[i] : all[i]);
  EXPECT_TRUE(read.columns[1].values == table.columns[1].values);
}

TEST(TableWriterTest, SextractorsFormatsReadBack) {
  const TemporaryFolder folder;
  const Table table = some_table();
  for (const char* name : {"a.ldac", "a.txt"}) {
    const TableFile file = open_table(write(folder / name, table));
    ASSERT_EQ(file.columns.size(), table.columns.size()) << name;
    EXPECT_EQ(file.columns[2].name, name == std::string("a.txt") ? "MAG_AUTO" : "MAG AUTO");
    EXPECT_EQ(file.columns[4].unit, "mag / arcsec2");
    const Table read = read_table(file, {0, 1, 3, 4, 5, 6});
    const std::size_t of_table[] = {0, 1, 3, 4, 5, 6};
    for (std::size_t i = 0; i < 6; ++i) {
      const ColumnValues &got = read.columns[i].values, &expected = table.columns[of_table[i]].values;
      if (i != 2) {
        EXPECT_TRUE(got == expected) << name << " " << read.columns[i].name;
        continue;
      }
      const auto numbers = std::get<std::vector<double>>(got);  // one of them is none
      EXPECT_EQ(numbers[0], 0.1);
      EXPECT_TRUE(std::isnan(numbers[1]));
      EXPECT_EQ(numbers[2], -std::numeric_limits<double>::infinity());
    }
  }
}

TEST(TableWriterTest, TheEndingTellsTheFormat) {
  EXPECT_EQ(table_format("a/b.fits"), CatalogFormat::fits);
  EXPECT_EQ(table_format("b.cat.ecsv"), CatalogFormat::ecsv);
  EXPECT_EQ(table_format("b.csv"), CatalogFormat::csv);
  EXPECT_EQ(table_format("b.vot"), CatalogFormat::votable);
  EXPECT_EQ(table_format("b.cat.xml"), CatalogFormat::votable_text);
  EXPECT_EQ(table_format("b.ldac"), CatalogFormat::ldac);
  EXPECT_EQ(table_format("b.txt"), CatalogFormat::ascii_head);
  EXPECT_EQ(table_format("b.parquet"), CatalogFormat::parquet);
  for (const char* path : {"b.text", "b", "fits", "b.fits.gz", "b.reg", ""}) {
    try {
      table_format(path);
      ADD_FAILURE() << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::config);
    }
  }
}

}  // namespace
}  // namespace srcextract
