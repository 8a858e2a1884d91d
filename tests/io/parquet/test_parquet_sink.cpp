#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "io/files/utf8.hpp"
#include "tests/io/parquet/parquet_support.hpp"

namespace srcextract {
namespace {

using testing::EveryType;
using testing::read_file;
using testing::TemporaryFolder;
using testing::write_parquet;

TEST(ParquetSink, BytesDependNeitherOnThePiecesNorOnTheThreads) {
  const TemporaryFolder folder;
  const EveryType table(140'000);
  for (const ParquetCompression compression : {ParquetCompression::none, ParquetCompression::zstd}) {
    const std::string whole = read_file(write_parquet(folder / "a", table, table.count(), compression));
    EXPECT_TRUE(whole.starts_with("PAR1") && whole.ends_with("PAR1"));
    EXPECT_TRUE(read_file(write_parquet(folder / "b", table, 12'345, compression, 3)) == whole);
    EXPECT_TRUE(read_file(write_parquet(folder / "c", table, 1 << 17, compression, 2)) == whole);
  }
}

// The bytes of a column of two numbers, taken apart by hand after parquet.thrift and thrift-compact-protocol.md.
TEST(ParquetSink, SmallestFile) {
  const TemporaryFolder folder;
  const std::vector<std::int32_t> values = {7, -1};
  const CatalogRows rows{{{{"N", "", "", "", 0}, FieldValues<std::int32_t>{{values.data()}}}}, 2};
  const CatalogMetadata metadata{"1", ""};
  OutputFile file(folder / "t");
  write_all(CatalogFormat::parquet, file, rows, metadata, Cpu{});
  file.commit();
  const std::string bytes = read_file(folder / "t");
  using namespace std::string_literals;
  const std::string page = "\x15\x00\x15\x10\x15\x10\x2c\x15\x04\x15\x00\x15\x06\x15\x06\x00\x00"s;
  const std::string values_stored = "\x07\x00\x00\x00\xff\xff\xff\xff"s;
  EXPECT_EQ(bytes.substr(0, 4 + page.size() + 8), "PAR1" + page + values_stored);
  const std::size_t footer = 4 + page.size() + 8;
  const std::string schema = "\x15\x04\x19\x2c\x48\x06schema\x15\x02\x00\x15\x02\x25\x00\x18\x01N\x00\x16\x04"s;
  EXPECT_EQ(bytes.substr(footer, schema.size()), schema);
  // min_value -1 and max_value 7, nothing missing.
  EXPECT_NE(bytes.find("\x3c\x36\x00\x28\x04\x07\x00\x00\x00\x18\x04\xff\xff\xff\xff\x00"s), std::string::npos);
  const std::string length = bytes.substr(bytes.size() - 8, 4);
  EXPECT_EQ(footer + static_cast<unsigned char>(length[0]) + 256U * static_cast<unsigned char>(length[1]) + 8,
            bytes.size());
}

// By RFC 3629 and the table of well-formed sequences in the Unicode Standard (3-7).
TEST(Utf8, WhatIsNoneIsReplaced) {
  const std::string bad = "\xef\xbf\xbd";
  for (const char* text :
       {"", "abc", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x94\xad", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"})
    EXPECT_EQ(as_utf8(text), text);
  EXPECT_EQ(as_utf8("d\xe9j\xe0"), "d" + bad + "j" + bad);
  EXPECT_EQ(as_utf8("\xc3"), bad);
  EXPECT_EQ(as_utf8("\xc0\x80"), bad + bad);
  EXPECT_EQ(as_utf8("\xed\xa0\x80"), bad + bad + bad);
  EXPECT_EQ(as_utf8("\xf4\x90\x80\x80"), bad + bad + bad + bad);
  EXPECT_EQ(as_utf8("\xe0\x9f\xbf|\xf0\x8f\xbf\xbf"), bad + bad + bad + "|" + bad + bad + bad + bad);
  EXPECT_EQ(count_characters("\xc3\xa9t\xc3\xa9\xf0\x9f\x94\xad"), 4U);
}

}  // namespace
}  // namespace srcextract
