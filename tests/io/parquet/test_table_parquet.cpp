#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "io/tables/table_file.hpp"
#include "stages/core/error.hpp"
#include "tests/io/parquet/parquet_support.hpp"
#include "tests/io/support/printed_table.hpp"
#include "tests/support/source_dir.hpp"

namespace srcextract {
namespace {

using ::testing::AllOf;
using testing::EveryType;
using ::testing::HasSubstr;
using testing::TemporaryFolder;
using testing::write_parquet;

Table read_all(const std::string& path) {
  const TableFile file = open_table(path);
  std::vector<std::size_t> all(file.columns.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return read_table(file, all);
}

std::string stored_file(const std::string& name) {
  return testing::source_file("tests/fuzz/corpus/table_parquet/" + name + ".parquet");
}

std::string message(const std::string& path) {
  try {
    read_all(path);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
    return error.what();
  }
  return "read";
}

template <class T>
std::string bits_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

TEST(TableParquet, ReadsWhatSrcextractWrites) {
  const TemporaryFolder folder;
  for (const ParquetCompression compression : {ParquetCompression::none, ParquetCompression::zstd}) {
    const EveryType table(140'000);
    const Table read = read_all(write_parquet(folder / "t.cat.parquet", table, 33'333, compression));
    EXPECT_EQ(read.rows, 140'000);
    ASSERT_EQ(read.columns.size(), 6U + 3U);
    std::size_t next = 0;
    for_each_field(table.rows(), [&]<class T>(const Column& column, const FieldValues<T>& values) {
      if (values.width > 0) return;  // pictures are no quantities of sources
      for (std::size_t element = 0; element < values.size(); ++element) {
        const TableColumn& got = read.columns[next++];
        EXPECT_EQ(got.name, column.name + (element == 0 ? "" : "_" + std::to_string(element)));
        EXPECT_EQ(got.unit, column.unit == std::string("pixel") ? "pixel" : column.unit);
        EXPECT_EQ(got.ucd, column.ucd);
        EXPECT_EQ(got.description, "What it's like: \"x\"");
        using Read = std::conditional_t<std::is_same_v<T, std::int16_t>, std::int32_t, T>;
        std::vector<Read> wanted;
        for (std::size_t row = 0; row < table.count(); ++row) wanted.push_back(values.at(row, element));
        if constexpr (std::is_same_v<T, std::string>) {
          EXPECT_TRUE(std::get<std::vector<Read>>(got.values) == wanted);
        } else {
          EXPECT_TRUE(bits_of(std::get<std::vector<Read>>(got.values)) == bits_of(wanted)) << column.name;
        }
      }
    });
  }
}

TEST(TableParquet, NoRowsAndSomeColumns) {
  const TemporaryFolder folder;
  const Table none = read_all(write_parquet(folder / "none", EveryType(0), 1));
  EXPECT_EQ(none.rows, 0);
  ASSERT_EQ(none.columns.size(), 6U + 3U);
  EXPECT_EQ(none.columns[7].name, "VECTOR_2");
  const TableFile file = open_table(write_parquet(folder / "t", EveryType(3), 2));
  const Table read = read_table(file, {7, 0});
  EXPECT_EQ(read.columns[0].name, "VECTOR_2");
  EXPECT_EQ(read.columns[1].name, "SHORT");
  EXPECT_EQ(read_all(stored_file("numbers_empty")).columns.size(), 9U);
}

class TableParquetOf : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Writers, TableParquetOf,
                         ::testing::Values("pyarrow", "pyarrow_v2", "pyarrow_plain", "pyarrow_gzip", "duckdb", "polars",
                                           "fastparquet"),
                         [](const auto& test) { return std::string(test.param); });

// The values are those of tests/io/parquet/make_files.py.
TEST_P(TableParquetOf, NumbersAndText) {
  EXPECT_EQ(testing::print(read_all(stored_file(std::string("numbers_") + GetParam()))),
            "ID [] 1 -2 3\n"
            "WIDE [] 1 4611686018427387905 -5\n"
            "SMALL [] -1 0 7\n"
            "U32 [] 0 4294967295 7\n"
            "U64 [] 0 18446744073709551615 7\n"
            "FLAG [] 1 0 1\n"
            "MAG [] 0.5 nan -1.25\n"
            "RA [] 0.10000000000000001 -0 1.0000000000000001e+300\n"
            "NAME [] a d\xc3\xa9j\xc3\xa0 a\n");
}

TEST_P(TableParquetOf, WhatIsMissing) {
  EXPECT_EQ(testing::print(read_all(stored_file(std::string("missing_") + GetParam()))),
            "N [] 1 nan 3\n"
            "F [] nan 0.5 nan\n"
            "B [] nan 1 0\n"
            "S [] x  \n"
            "NONE [] nan nan nan\n");
}

TEST_P(TableParquetOf, VectorsAndWhatIsNone) {
  if (GetParam() == std::string("fastparquet")) return;  // writes no lists
  EXPECT_EQ(testing::print(read_all(stored_file(std::string("vectors_") + GetParam()))),
            "FLUX [] 1.5 3.5 5.5\n"
            "FLUX_1 [] 2.5 nan 6.5\n"
            "K [] 1 4 7\n"
            "K_1 [] 2 5 8\n"
            "K_2 [] 3 6 9\n"
            "LAST [] 7 8 9\n");
}

TEST(TableParquet, WhatIsNotRead) {
  EXPECT_THAT(message(stored_file("refused_brotli")),
              AllOf(HasSubstr("refused_brotli.parquet, column ID, row group 0: the values are compressed by BROTLI"),
                    HasSubstr("write the file with zstd")));
  EXPECT_THAT(
      message(stored_file("refused_delta")),
      HasSubstr("column ID, row group 0: the values are in the encoding DELTA_BINARY_PACKED, which is not read"));
  EXPECT_THAT(message(stored_file("refused_nested")),
              HasSubstr("there is no column of numbers or text in the table: column DEEP is nested"));
}

TEST(TableParquet, DamagedFilesAreReadOrRefused) {
  const TemporaryFolder folder;
  const std::string path = folder / "damaged";
  int refused = 0, files = 0;
  for (const char* name : {"numbers_pyarrow", "missing_duckdb", "vectors_polars", "vectors_pyarrow_v2"}) {
    const std::string whole = testing::read_file(stored_file(name));
    for (std::size_t at = 4; at < whole.size(); at += 7) {
      std::ofstream(path, std::ios::binary) << whole.substr(0, at);
      EXPECT_NE(message(path), "read") << name << " of " << at << " bytes";
      std::string other = whole;
      other[at] = static_cast<char>(other[at] ^ (1 << at % 8));
      std::ofstream(path, std::ios::binary) << other;
      refused += message(path) != "read" ? 1 : 0;
      ++files;
    }
  }
  EXPECT_GT(refused, files / 8);
  EXPECT_LT(refused, files);
}

TEST(TableParquet, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const std::string whole = testing::read_file(stored_file("numbers_pyarrow"));
  const auto said = [&](const std::string& bytes) { return message(folder.write("t.parquet", bytes)); };
  EXPECT_THAT(said("PAR1"), HasSubstr("t.parquet: the file is truncated"));
  EXPECT_THAT(said(whole.substr(0, whole.size() / 2)), HasSubstr("t.parquet: the file is truncated"));
  EXPECT_THAT(said(whole.substr(0, whole.size() - 4) + "PARE"), HasSubstr("encrypted"));
  std::string longer = whole;
  longer[whole.size() - 5] = '\x7f';
  EXPECT_THAT(said(longer), HasSubstr("footer is said to be longer than the file"));
}

}  // namespace
}  // namespace srcextract
