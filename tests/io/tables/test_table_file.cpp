#include "io/tables/table_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "io/catalog/table_writer.hpp"
#include "stages/core/error.hpp"
#include "tests/io/support/io_test_support.hpp"
#include "tests/io/support/printed_table.hpp"
#include "tests/support/fits_writer.hpp"

namespace srcextract {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

const char* const small_ecsv = "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: N, datatype: int32}\nN\n7\n";
const char* const small_votable =
    "<?xml version='1.0'?>\n<VOTABLE version='1.4' xmlns='http://www.ivoa.net/xml/VOTable/v1.3'><RESOURCE><TABLE>"
    "<FIELD name='N' datatype='int'/><DATA><TABLEDATA><TR><TD>7</TD></TR></TABLEDATA></DATA></TABLE></RESOURCE>"
    "</VOTABLE>\n";

/// One that says of a column N that it is 7 in its only row.
using Sample = std::tuple<const char*, TableFormat, std::string>;

class TableFormats : public ::testing::TestWithParam<Sample> {};
INSTANTIATE_TEST_SUITE_P(
    Samples, TableFormats,
    ::testing::Values(Sample("Fits", TableFormat::fits, ""), Sample("Ecsv", TableFormat::ecsv, small_ecsv),
                      Sample("Csv", TableFormat::csv, "N\n7\n"),
                      Sample("CsvWithByteOrderMark", TableFormat::csv, "\xef\xbb\xbfN\n7\n"),
                      Sample("Votable", TableFormat::votable, small_votable),
                      Sample("AsciiHead", TableFormat::ascii_head, "#   1 N   Running number\n         7\n")),
    [](const auto& test) { return std::get<0>(test.param); });

TEST_P(TableFormats, AreToldByTheContentsGzippedOrNot) {
  const TemporaryFolder folder;
  const std::string path = folder / "name.that.says.fits.csv.nothing";
  auto [name, format, contents] = GetParam();
  if (format == TableFormat::fits) {
    Table table;
    table.rows = 1;
    table.columns = {{"N", "", "", "", std::vector<std::int32_t>{7}}};
    write_table(folder / "t.fits", table, {}).commit();
    contents = testing::read_file(folder / "t.fits");
  }
  testing::write_file(path, contents);
  ASSERT_EQ(testing::run_command("gzip -k '" + path + "'").first, 0);
  for (const std::string& file : {path, path + ".gz"}) {
    const TableFile opened = open_table(file);
    EXPECT_EQ(opened.path, file);
    EXPECT_EQ(opened.format, format);
    ASSERT_EQ(opened.columns.size(), 1u);
    EXPECT_EQ(opened.columns[0].name, "N");
    const Table table = read_table(opened, {0});
    EXPECT_EQ(testing::print(table), "N [] 7\n");
    EXPECT_EQ(table.rows, 1);
  }
}

TEST(TableTest, WhatWasWrittenIsReadBack) {
  const TemporaryFolder folder;
  Table table;
  table.rows = 2;
  table.columns = {{"N", "", "meta.id", "Number", std::vector<std::int32_t>{1, -2}},
                   {"MAG AUTO", "mag", "phot.mag", "with a blank", std::vector<double>{0.1, 1e-300}},
                   {"FLUX,1", "count", "", "", std::vector<float>{0.1F, -1.25F}},
                   {"no", "", "", "", std::vector<std::string>{"say \"x\", y", "#7"}},
                   {"ID", "", "", "", std::vector<std::int64_t>{std::int64_t{1} << 62, 3}}};
  for (const char* ending : {".fits", ".ecsv"}) {
    const std::string path = folder / (std::string("t") + ending);
    write_table(path, table, {}).commit();
    const Table read = read_table(open_table(path), {0, 1, 2, 3, 4});
    EXPECT_EQ(testing::print(read), testing::print(table)) << ending;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      EXPECT_EQ(read.columns[i].ucd, table.columns[i].ucd);
      EXPECT_EQ(read.columns[i].description, table.columns[i].description);
      EXPECT_TRUE(read.columns[i].values == table.columns[i].values) << table.columns[i].name << ending;
    }
  }
}

}  // namespace
}  // namespace srcextract
