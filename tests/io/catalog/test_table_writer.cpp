#include "io/catalog/table_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <variant>
#include <vector>

#include "io/tables/table.hpp"
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

TEST(TableWriterTest, TheEndingTellsTheFormat) {
  EXPECT_EQ(table_format("a/b.fits"), CatalogFormat::fits);
  EXPECT_EQ(table_format("b.cat.ecsv"), CatalogFormat::ecsv);
  EXPECT_EQ(table_format("b.csv"), CatalogFormat::csv);
  EXPECT_EQ(table_format("b.ldac"), CatalogFormat::ldac);
  EXPECT_EQ(table_format("b.txt"), CatalogFormat::ascii_head);
  EXPECT_EQ(table_format("b.vot"), CatalogFormat::votable);
  EXPECT_EQ(table_format("b.cat.xml"), CatalogFormat::votable_text);
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
